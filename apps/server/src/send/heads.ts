import { createHash } from 'node:crypto'
import type { Answer, BytesAnswer, Headers } from '../answer/Answer.js'
import { entityTag } from '../answer/entityTag.js'
import { everyAnswer, jsonType } from '../answer/everyAnswer.js'
import { memoize } from '../memoize.js'
import { worthwhileBytes } from './compress.js'

/** Names and values in one row, which Node writes as they are. */
export type Head = ReadonlyArray<string>

export const headOf = (headers: Headers): Head => Object.entries(headers).flat()

const isCacheable = ({ headers }: Answer): boolean => headers['Cache-Control'] !== 'no-store'

const smallBytes = 4096

const tagOf = (bytes: Buffer): string => entityTag(createHash('sha256').update(bytes))

export interface BytesHeads {
  /** `undefined` for what must not be kept by anyone. */
  readonly etag: string | undefined
  readonly compressible: boolean
  /** Of the bytes as they are. */
  readonly plain: Head
  /** A small body, each byte a character (latin1): Node writes it together with the head, in one piece. */
  readonly small: string | undefined
  /** Lacks `Content-Encoding` and `Content-Length`. */
  readonly compressed: Head
  readonly notModified: Head
}

/** All headers of an answer but the request's own, put together once for as long as the answer lives. */
export const headsOf = memoize((answer: BytesAnswer): BytesHeads => {
  const { bytes } = answer.body
  const etag = isCacheable(answer) ? (answer.body.etag ?? tagOf(bytes)) : undefined
  const compressible = bytes.length >= worthwhileBytes
  const notModified = {
    ...everyAnswer,
    ...answer.headers,
    ...(etag === undefined ? {} : { ETag: etag }),
    ...(compressible ? { Vary: 'Accept-Encoding' } : {}),
  }
  const compressed = { 'Content-Type': jsonType, ...notModified }
  return {
    etag,
    compressible,
    plain: headOf({ ...compressed, 'Content-Length': `${bytes.length}` }),
    small: bytes.length <= smallBytes ? bytes.toString('latin1') : undefined,
    compressed: headOf(compressed),
    notModified: headOf(notModified),
  }
})
