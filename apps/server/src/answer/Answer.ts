import type { Readable } from 'node:stream'

export type Headers = Readonly<Record<string, string>>

/** An HTTP response as a value: immutable, so that what is derived from it can be remembered by its identity. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

export type Body = Bytes | Stream | Nothing

export interface BytesAnswer extends Answer {
  readonly body: Bytes
}

export const hasBytes = (answer: Answer): answer is BytesAnswer => answer.body.is === 'bytes'

export interface Bytes {
  readonly is: 'bytes'
  readonly bytes: Buffer
  /** How many nodes or items they tell of. */
  readonly nodes: number
  /** Where it was made along with the bytes. */
  readonly etag?: string
}

/** JSON of a length not known beforehand. When it fails half-way, the connection is cut. */
export interface Stream {
  readonly is: 'stream'
  readonly stream: Readable
}

export interface Nothing {
  readonly is: 'nothing'
}

export const json = (text: string, nodes = 0): Bytes => ({ is: 'bytes', bytes: Buffer.from(text), nodes })
export const stream = (readable: Readable): Stream => ({ is: 'stream', stream: readable })
export const nothing: Nothing = { is: 'nothing' }
