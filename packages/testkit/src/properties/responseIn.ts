import type { RawResponse } from '../doors/rawHttp.js'
import { chunksIn, fieldOf, hasNoBody, headIn, isChunked, type ResponseHead } from '../doors/responseParts.js'

export interface Found {
  readonly response: RawResponse
  /** Where the next response begins. */
  readonly end: number
}

const bodyIn = (bytes: Buffer, { headers, end: start }: ResponseHead) => {
  if (isChunked(headers)) return chunksIn(bytes, start)
  const end = start + Number(fieldOf(headers, 'Content-Length') ?? 0)
  return { body: bytes.subarray(start, end), end: bytes.length < end ? undefined : end }
}

/** The first response in what a kept connection has brought so far; `undefined` while it is not whole. */
export const responseIn = (bytes: Buffer, method: string): Found | undefined => {
  const head = headIn(bytes)
  if (head === undefined) return undefined
  const { status, headers } = head
  const { body, end } = hasNoBody(method, status) ? { body: Buffer.alloc(0), end: head.end } : bodyIn(bytes, head)
  return end === undefined ? undefined : { response: { status, headers, body, complete: true }, end }
}
