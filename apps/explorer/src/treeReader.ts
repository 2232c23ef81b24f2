import type { NodeVisibility } from '@canopy/client'
import Tokenizer from '@streamparser/json/tokenizer.js'
import TokenType from '@streamparser/json/utils/types/tokenType.js'

/** A directory of a tree response. Without content if the service did not expand it. */
export interface ReadDirectory {
  readonly name: string
  readonly visibility: NodeVisibility
  readonly content: ReadContent | undefined
}

/** Files only count, so that a tree of a million files takes little memory. */
export interface ReadContent {
  readonly directories: ReadonlyArray<ReadDirectory>
  readonly files: number
  readonly bytes: bigint
}

export interface Progress {
  readonly directories: number
  readonly files: number
}

/** Reads numbers as bigints, which keep every digit. The cast is safe: the tokenizer only passes the value on. */
class ExactTokenizer extends Tokenizer {
  override parseNumber(digits: string): number {
    return BigInt(digits) as unknown as number
  }
}

/** A JSON object that has not ended yet. */
interface OpenObject {
  key: string | undefined
  readonly fields: Record<string, unknown>
  content: { readonly directories: Array<ReadDirectory>; files: number; bytes: bigint } | undefined
}

const isNode = ({ fields }: OpenObject): boolean => fields['type'] === 'dir' || fields['type'] === 'file'

/** Reads the bytes of a tree response as they arrive. */
export class TreeReader {
  /** `undefined` until the response is complete. */
  root: ReadDirectory | undefined
  private readonly openObjects: Array<OpenObject> = []
  private readonly tokenizer = new ExactTokenizer()
  private directories = 0
  private files = 0

  constructor() {
    this.tokenizer.onToken = ({ token, value }) => this.onToken(token, value)
  }

  get progress(): Progress {
    const { directories, files } = this
    return { directories, files }
  }

  read(chunk: Uint8Array): void {
    this.tokenizer.write(chunk)
  }

  private onToken(token: TokenType, value: unknown): void {
    const current = this.openObjects.at(-1)
    if (token === TokenType.LEFT_BRACE) this.openObjects.push({ key: undefined, fields: {}, content: undefined })
    else if (token === TokenType.RIGHT_BRACE) this.endObject()
    else if (current === undefined || token === TokenType.COLON || token === TokenType.COMMA) return
    else if (token === TokenType.LEFT_BRACKET) current.content = { directories: [], files: 0, bytes: 0n }
    else if (token === TokenType.RIGHT_BRACKET) current.key = undefined
    else if (current.key === undefined) current.key = String(value)
    else {
      current.fields[current.key] = value
      current.key = undefined
    }
  }

  private endObject(): void {
    const ended = this.openObjects.pop()
    const parent = this.openObjects.at(-1)
    if (ended === undefined || parent === undefined) return
    if (isNode(ended)) this.endNode(ended, parent)
    else if (parent.key !== undefined) parent.fields[parent.key] = ended.fields
    parent.key = undefined
  }

  private endNode({ fields, content }: OpenObject, parent: OpenObject): void {
    if (fields['type'] === 'file') {
      this.files += 1
      if (parent.content === undefined) return
      parent.content.files += 1
      parent.content.bytes += fields['size'] as bigint
      return
    }
    this.directories += 1
    const directory = {
      name: fields['name'] as string,
      visibility: fields['visibility'] as NodeVisibility,
      content,
    }
    if (parent.content === undefined) this.root = directory
    else parent.content.directories.push(directory)
  }
}
