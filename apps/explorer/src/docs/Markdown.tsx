// Renders the Markdown of descriptions. Text never becomes HTML.
import { Lexer, lexer, type Token } from 'marked'
import type { ComponentChildren } from 'preact'

const inner = (token: Token): ComponentChildren =>
  'tokens' in token && token.tokens !== undefined ? (
    <Tokens tokens={token.tokens} />
  ) : 'text' in token ? (
    token.text
  ) : (
    token.raw
  )

const Tokens = ({ tokens }: { readonly tokens: ReadonlyArray<Token> }) => (
  <>
    {tokens.map((token, index) => {
      switch (token.type) {
        case 'paragraph':
          return <p key={index}>{inner(token)}</p>
        case 'list':
          return (
            <ul key={index}>
              {(token.items as ReadonlyArray<Token>).map((item, at) => (
                <li key={at}>{inner(item)}</li>
              ))}
            </ul>
          )
        case 'strong':
          return <strong key={index}>{inner(token)}</strong>
        case 'codespan':
          return <code key={index}>{token.text}</code>
        case 'space':
          return null
        default:
          return inner(token)
      }
    })}
  </>
)

export const Inline = ({ text }: { readonly text: string }) => <Tokens tokens={Lexer.lexInline(text)} />

export const Markdown = ({ text }: { readonly text: string }) => <Tokens tokens={lexer(text)} />
