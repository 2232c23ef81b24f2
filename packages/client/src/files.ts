import { CanopyError, type Failure } from './failures.js'
import { beginResponse, onAbort, type RequestOptions, readResponse, runInTime } from './request.js'
import { decodeFailure } from './responses.js'
import { checkToken, encodePath, formatUser } from './targets.js'

interface FileOptions {
  /** `/photos/a b.jpg`. Not percent-encoded. */
  readonly path: string
  /** The path is a directory, requested as a zip archive. */
  readonly zip?: boolean | undefined
}

/** A file or, with `zip`, a directory as an archive: of a token's area, or of a user's area as visitors see it. */
export type FileRequest = FileOptions &
  (
    | { readonly token: string; readonly user?: never }
    | { readonly user: string | bigint | number; readonly token?: never }
  )

/** Returns the request target below the base URL. Throws on malformed input. */
export const fileTarget = ({ token, user, path, zip = false }: FileRequest): string => {
  const client = token === undefined ? `id/${formatUser(user)}` : `token/${checkToken(token)}`
  return `/files/${client}${encodePath(path)}${zip ? '?zip' : ''}`
}

/**
 * Requests a file once, because a body that has begun cannot be repeated. Resolves when its head has come; the timeout ends then, and the
 * signal also ends the body. Rejects with a CanopyError.
 */
export const fetchFile = async (
  url: string,
  options: RequestOptions,
  errors: ReadonlyArray<Failure['error']>,
): Promise<Response> => {
  const body = new AbortController()
  if (options.signal !== undefined) onAbort(options.signal, () => body.abort(new CanopyError({ error: 'aborted' })))
  const response = await runInTime(options, (signal) => {
    onAbort(signal, () => body.abort(signal.reason))
    return beginResponse(options.fetch, url, { Accept: '*/*', signal: body.signal })
  })
  if (response.status === 200) return response
  throw new CanopyError(decodeFailure(await runInTime(options, () => readResponse(response)), errors))
}
