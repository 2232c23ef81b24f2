// Finds names below a directory, by the lines of the tree operations.
import { parse } from 'lossless-json'

/** A file or directory with a matching name. */
export interface Found {
  /** Names from the root of the area. */
  readonly names: ReadonlyArray<string>
  readonly isFile: boolean
  readonly size: bigint
  readonly lastModified: bigint
}

interface Line {
  readonly type: string
  readonly path?: string
  readonly after?: string
  readonly size?: bigint
  readonly last_modified?: bigint
}

/** Escapes a text for a pattern that matches it anywhere in a name. */
export const patternOf = (text: string): string => `*${text.replace(/[*?\\]/g, '\\$&')}*`

const namesOf = (path: string): ReadonlyArray<string> => path.split('/').filter((name) => name !== '')

/** `complete` at the end; `more` with the path to continue after; `cut` if the answer broke off. */
export type SearchEnd =
  | { readonly is: 'complete' }
  | { readonly is: 'cut' }
  | { readonly is: 'more'; readonly after: string }

/** Reads lines as they arrive, wherever the chunks end. */
export class LineReader {
  end: SearchEnd = { is: 'cut' }
  private readonly decoder = new TextDecoder()
  private readonly onFound: (found: Found) => void
  private rest = ''

  constructor(onFound: (found: Found) => void) {
    this.onFound = onFound
  }

  read(chunk: Uint8Array): void {
    const lines = (this.rest + this.decoder.decode(chunk, { stream: true })).split('\n')
    this.rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') this.readLine(line)
  }

  private readLine(text: string): void {
    const line = parse(text, undefined, BigInt) as Line
    if (line.type === 'end') this.end = { is: 'complete' }
    else if (line.type === 'next') this.end = { is: 'more', after: line.after ?? '' }
    else if ((line.type === 'file' || line.type === 'dir') && line.path !== undefined)
      this.onFound({
        names: namesOf(line.path),
        isFile: line.type === 'file',
        size: line.size ?? 0n,
        lastModified: line.last_modified ?? 0n,
      })
  }
}

export type SearchFailure = 'refused' | 'failed'

interface SearchOptions {
  /** The address of the tree operation for the directory. */
  readonly url: string
  readonly text: string
  readonly signal: AbortSignal
  readonly onFound: (found: Found) => void
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

const readAll = async (response: Response, reader: LineReader): Promise<SearchEnd> => {
  const body = response.body?.getReader()
  for (let next = await body?.read(); next !== undefined && !next.done; next = await body?.read())
    reader.read(next.value)
  return reader.end
}

/** Searches to the end, in as many requests as the service needs. Returns a failure, or `undefined`. */
export const search = async (options: SearchOptions): Promise<SearchFailure | undefined> => {
  const { url, text, signal, onFound, fetch: send = fetch } = options
  const query = `name=${encodeURIComponent(patternOf(text))}`
  let after = ''
  try {
    for (;;) {
      const response = await send(`${url}?${query}${after}`, {
        headers: { accept: 'application/x-ndjson' },
        cache: 'no-store',
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        signal,
      })
      if (!response.ok) return response.status === 401 || response.status === 403 ? 'refused' : 'failed'
      // An older service ignores the header and sends the nested tree.
      if (!response.headers.get('content-type')?.startsWith('application/x-ndjson')) return 'failed'
      const end = await readAll(response, new LineReader(onFound))
      if (end.is === 'complete') return undefined
      if (end.is === 'cut') return 'failed'
      after = `&after=${encodeURIComponent(end.after)}`
    }
  } catch {
    return 'failed'
  }
}
