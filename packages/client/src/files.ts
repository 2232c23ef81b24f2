import { CanopyError, type Failure } from './failures.js'
import { beginResponse, onAbort, type RequestOptions, readResponse, runInTime } from './request.js'
import { decodeFailure } from './responses.js'

/** Calls the function after the garbage collection of a body, because a body does not report its end. */
const collectedBodies = new FinalizationRegistry<() => void>((stopListening) => stopListening())

/**
 * Requests a file once, because a body that has begun cannot be repeated. Resolves when its head has come; the timeout ends then,
 * and the signal also ends the body. Rejects with a CanopyError.
 */
export const fetchFile = (
  url: string,
  options: RequestOptions,
  errors: ReadonlyArray<Failure['error']>,
): Promise<Response> => {
  const body = new AbortController()
  const abort = (): void => body.abort(new CanopyError({ error: 'aborted' }))
  return runInTime(options, async (signal) => {
    signal.addEventListener('abort', () => body.abort(signal.reason))
    const response = await beginResponse(options.fetch, url, { Accept: '*/*', signal: body.signal })
    if (response.status !== 200) throw new CanopyError(decodeFailure(await readResponse(response), errors))
    if (options.signal) collectedBodies.register(response.body ?? response, onAbort(options.signal, abort))
    return response
  })
}
