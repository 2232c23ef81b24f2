// Requests for the content of files. A URL with a token is only ever fetched: no link, frame or element has it.
import { secret } from './credentials.js'
import { type Place, root } from './routes.js'
import { store } from './store.js'

export type FileFailure = 'off' | 'too large' | 'refused' | 'gone' | 'failed'

export interface FileRequest {
  readonly place: Place
  /** The archive of a directory in place of a file. */
  readonly isArchive?: boolean
}

const urlOf = ({ place: { view, names }, isArchive = false }: FileRequest): string => {
  const client = view.as === 'owner' ? `token/${secret('token') ?? ''}` : `id/${view.user}`
  return [`${root}files/${client}`, ...names.map(encodeURIComponent)].join('/') + (isArchive ? '?zip' : '')
}

/** Returns the URL for elements and links, which only a visitor's view has. */
export const publicUrl = (request: FileRequest): string | undefined =>
  request.place.view.as === 'visitor' ? urlOf(request) : undefined

const filesOff = store(false)

/** Returns whether the service is known to share no content. */
export const useFilesOff = filesOff.use

const failures: Readonly<Record<string, FileFailure>> = {
  'too large': 'too large',
  'invalid token': 'refused',
  'not verified': 'refused',
  'permission denied': 'refused',
  'file not found': 'gone',
  'type mismatch': 'gone',
}

const failureOf = async (response: Response): Promise<FileFailure> => {
  const body: unknown = await response.json().catch(() => undefined)
  const error = typeof body === 'object' && body !== null && 'error' in body ? String(body.error) : ''
  if (error !== 'no such route') return failures[error] ?? 'failed'
  filesOff.set(true)
  return 'off'
}

/** Fetches content. Returns a failure as text. */
export const fetchContent = async (request: FileRequest, signal: AbortSignal): Promise<Response | FileFailure> => {
  try {
    const response = await fetch(urlOf(request), {
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      signal,
    })
    return response.ok ? response : await failureOf(response)
  } catch {
    return 'failed'
  }
}

/** Asks whether content is available, without fetching it. */
export const probeContent = async (request: FileRequest): Promise<FileFailure | undefined> => {
  const controller = new AbortController()
  const found = await fetchContent(request, controller.signal)
  if (typeof found === 'string') return found
  controller.abort()
  return undefined
}

/** Reads a body into a Blob, which browsers keep on disk if it is large. */
export const readBlob = async (
  { body }: Response,
  type: string,
  onProgress: (bytes: number) => void,
): Promise<Blob | undefined> => {
  let bytes = 0
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length
      onProgress(bytes)
      controller.enqueue(chunk)
    },
  })
  try {
    const blob = await new Response(body?.pipeThrough(count)).blob()
    return new Blob([blob], { type })
  } catch {
    return undefined
  }
}
