// The start page, and the fields for user ids, tokens and paths.
import { useState } from 'preact/hooks'
import { isToken, keep, secret } from './credentials.js'
import { Keys, keyRows, LanguageChoice } from './Help.js'
import { Logo } from './icons.js'
import { follow, navigate } from './navigation.js'
import { words } from './preferences.js'
import { isUserId, peekHref, placeHref, root, type View } from './routes.js'

interface FieldProps {
  readonly id: string
  readonly label: string
  readonly hint?: string
  readonly button: string
  /** Returns a message if the text is invalid. */
  readonly submit: (text: string) => string | undefined
}

export const Field = ({ id, label, hint, button, submit }: FieldProps) => {
  const [problem, setProblem] = useState<string>()
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    const input = document.getElementById(id)
    if (input instanceof HTMLInputElement) setProblem(submit(input.value.trim()))
  }
  const note = problem ?? hint
  return (
    <form class="field" onSubmit={onSubmit}>
      <label for={id}>{label}</label>
      <div class="together">
        <input
          id={id}
          type="text"
          required
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          aria-describedby={note === undefined ? undefined : `${id}-note`}
          aria-invalid={problem !== undefined}
        />
        <button type="submit" class="main">
          {button}
        </button>
      </div>
      {note !== undefined && (
        <p id={`${id}-note`} class={problem === undefined ? 'note' : 'note problem'} role="status">
          {note}
        </p>
      )}
    </form>
  )
}

const acceptCredential = (text: string): View | undefined => {
  if (isUserId(text)) return { as: 'visitor', user: text }
  if (!isToken(text)) return undefined
  keep('token', text)
  return { as: 'owner' }
}

/** Opens the current path with a user id or a token. */
export const CredentialField = ({ names = [] }: { readonly names?: ReadonlyArray<string> }) => (
  <Field
    id="credential"
    label={words().credential}
    hint={words().credentialHint}
    button={words().open}
    submit={(text) => {
      const view = acceptCredential(text)
      if (view === undefined) return words().notCredential
      navigate(placeHref({ view, names }))
      return undefined
    }}
  />
)

/** Opens another path, for tokens with a scope. */
export const PathField = ({ view }: { readonly view: View }) => (
  <Field
    id="path"
    label={words().path}
    button={words().open}
    submit={(text) => {
      navigate(placeHref({ view, names: text.split('/').filter((name) => name !== '') }))
      return undefined
    }}
  />
)

export const Start = () => {
  const hasToken = secret('token') !== undefined
  return (
    <section class="start">
      <Logo />
      <h1>{words().tagline}</h1>
      <p class="lead">{words().explain}</p>
      {hasToken && (
        <p>
          <a class="main" href={placeHref({ view: { as: 'owner' }, names: [] })} onClick={follow}>
            {words().yourFiles}
          </a>
        </p>
      )}
      <CredentialField />
      <Keys rows={keyRows().slice(1, 4)} />
      <ul class="links">
        <li>
          <a href={peekHref} onClick={follow}>
            {words().peekLink}
          </a>
        </li>
        <li>
          <a href={`${root}docs`}>{words().apiLink}</a>
        </li>
      </ul>
      <LanguageChoice />
    </section>
  )
}
