// The parts of a response of HTTP/1.1, as they come.

export type Headers = ReadonlyArray<readonly [name: string, value: string]>

export interface ResponseHead {
  readonly status: number
  /** As they came: names in their own case, in their own order. */
  readonly headers: Headers
  /** Where the body begins. */
  readonly end: number
}

export const fieldOf = (headers: Headers, name: string): string | undefined =>
  headers.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]

/** `undefined` while it is not whole. */
export const headIn = (bytes: Buffer): ResponseHead | undefined => {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const headers = lines.map(
    (line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as const,
  )
  return { status: Number(statusLine.split(' ')[1]), headers, end: end + 4 }
}

export const isChunked = (headers: Headers): boolean =>
  fieldOf(headers, 'Transfer-Encoding')?.toLowerCase() === 'chunked'

export const hasNoBody = (method: string, status: number): boolean =>
  method === 'HEAD' || status === 204 || status === 304

interface Chunks {
  readonly body: Buffer
  /** Where the last chunk ends; `undefined` when it has not come. */
  readonly end: number | undefined
}

/** The body of a chunked message that begins at `start`, as far as it has come. */
export const chunksIn = (bytes: Buffer, start: number): Chunks => {
  const chunks: Array<Buffer> = []
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return { body: Buffer.concat(chunks), end: undefined }
    const [digits] = /^[0-9a-f]+/i.exec(bytes.toString('latin1', at, lineEnd)) ?? []
    // What is no chunk is the end of what can be read.
    if (digits === undefined) return { body: Buffer.concat(chunks), end: undefined }
    const size = Number.parseInt(digits, 16)
    const dataEnd = lineEnd + 2 + size
    chunks.push(bytes.subarray(lineEnd + 2, dataEnd))
    at = dataEnd + 2
    if (bytes.length < at) return { body: Buffer.concat(chunks), end: undefined }
    if (size === 0) return { body: Buffer.concat(chunks), end: at }
  }
}
