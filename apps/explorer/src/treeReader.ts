// Reads a tree while it comes, and remembers of each directory what the outline and the map of sizes need: no files.
import type { NodeVisibility } from '@canopy/client'
import Tokenizer from '@streamparser/json/tokenizer.js'
import TokenType from '@streamparser/json/utils/types/tokenType.js'

/** A directory that was read: without content where the service did not expand it. */
export interface Read {
  readonly name: string
  readonly visibility: NodeVisibility
  readonly content: ReadContent | undefined
}

export interface ReadContent {
  readonly directories: ReadonlyArray<Read>
  readonly files: number
  readonly bytes: bigint
}

export interface Progress {
  readonly directories: number
  readonly files: number
}

/** Its numbers keep every digit. */
class ExactTokenizer extends Tokenizer {
  override parseNumber(digits: string): number {
    return BigInt(digits) as unknown as number
  }
}

type Fields = Readonly<Record<string, unknown>>

/** An object that has begun, with what has come of it. */
interface Begun {
  key: string | undefined
  readonly fields: Record<string, unknown>
  content: { readonly directories: Array<Read>; files: number; bytes: bigint } | undefined
}

const isNode = (fields: Fields): boolean => fields['type'] === 'dir' || fields['type'] === 'file'

/** Takes the bytes of a tree. `root` is what was read, once all of it has come. */
export const treeReader = () => {
  const begun: Array<Begun> = []
  const progress = { directories: 0, files: 0 }
  let root: Read | undefined

  const endNode = ({ fields, content }: Begun, into: Begun): void => {
    if (fields['type'] === 'file') {
      progress.files += 1
      if (into.content === undefined) return
      into.content.files += 1
      into.content.bytes += fields['size'] as bigint
      return
    }
    progress.directories += 1
    const directory = {
      name: fields['name'] as string,
      visibility: fields['visibility'] as NodeVisibility,
      content,
    }
    if (into.content === undefined) root = directory
    else into.content.directories.push(directory)
  }

  const end = (): void => {
    const ended = begun.pop()
    const into = begun.at(-1)
    if (ended === undefined || into === undefined) return
    if (isNode(ended.fields)) endNode(ended, into)
    else if (into.key !== undefined) into.fields[into.key] = ended.fields
    into.key = undefined
  }

  const tokenizer = new ExactTokenizer()
  tokenizer.onToken = ({ token, value }) => {
    const current = begun.at(-1)
    if (token === TokenType.LEFT_BRACE) begun.push({ key: undefined, fields: {}, content: undefined })
    else if (token === TokenType.RIGHT_BRACE) end()
    else if (current === undefined || token === TokenType.COLON || token === TokenType.COMMA) return
    else if (token === TokenType.LEFT_BRACKET) current.content = { directories: [], files: 0, bytes: 0n }
    else if (token === TokenType.RIGHT_BRACKET) current.key = undefined
    else if (current.key === undefined) current.key = String(value)
    else {
      current.fields[current.key] = value
      current.key = undefined
    }
  }
  return {
    read: (chunk: Uint8Array): void => tokenizer.write(chunk),
    progress: (): Progress => ({ ...progress }),
    root: (): Read | undefined => root,
  }
}
