import type { Readable } from 'node:stream'

export type Headers = Readonly<Record<string, string>>

/** An HTTP response as a value. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

export type Body =
  | { readonly is: 'bytes'; readonly bytes: Buffer }
  /** JSON of a length not known beforehand. When it fails half-way, the connection is cut. */
  | { readonly is: 'stream'; readonly stream: Readable }
  | { readonly is: 'nothing' }

export const json = (text: string): Body => ({ is: 'bytes', bytes: Buffer.from(text) })
export const stream = (readable: Readable): Body => ({ is: 'stream', stream: readable })
export const nothing: Body = { is: 'nothing' }
