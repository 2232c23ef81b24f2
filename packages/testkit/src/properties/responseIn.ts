import type { RawResponse } from '../doors/rawHttp.js'

export interface Found {
  readonly response: RawResponse
  /** Where the next response begins. */
  readonly end: number
}

interface Body {
  readonly body: Buffer
  readonly end: number
}

const chunkedBody = (bytes: Buffer, start: number): Body | undefined => {
  const chunks: Array<Buffer> = []
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    const end = lineEnd + 2 + size + 2
    if (bytes.length < end) return undefined
    if (size === 0) return { body: Buffer.concat(chunks), end }
    chunks.push(bytes.subarray(lineEnd + 2, end - 2))
    at = end
  }
}

const bodyAt = (bytes: Buffer, start: number, headers: RawResponse['headers']): Body | undefined => {
  const value = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1]
  if (value('transfer-encoding') === 'chunked') return chunkedBody(bytes, start)
  const end = start + Number(value('content-length') ?? 0)
  return bytes.length < end ? undefined : { body: bytes.subarray(start, end), end }
}

/** The first response in what a kept connection has brought so far; `undefined` while it is not whole. */
export const responseIn = (bytes: Buffer, method: string): Found | undefined => {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const status = Number(statusLine.split(' ')[1])
  const headers = lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const)
  const start = headEnd + 4
  const bodiless = method === 'HEAD' || status === 204 || status === 304
  const found = bodiless ? { body: Buffer.alloc(0), end: start } : bodyAt(bytes, start, headers)
  return found && { response: { status, headers, body: found.body, complete: true }, end: found.end }
}
