import { CanopyError, canopyErrorOf } from './failures.js'

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Options of one call. `undefined` means the same as a missing option. */
export interface CallOptions {
  /** Ends the call at once, even between attempts. */
  readonly signal?: AbortSignal | undefined
  /**
   * Overrides the client's timeout for this call. It covers retries and waits; when iterating, it applies to each page
   * separately.
   */
  readonly timeoutMs?: number | undefined
}

export interface RequestOptions {
  readonly baseUrl: string
  readonly fetch: Fetch
  readonly retries: number
  readonly backOffMs: number
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/** A complete response of any status. */
export interface HttpResponse {
  readonly status: number
  readonly link: string | null
  /** In seconds; 0 if the header is missing or unreadable. */
  readonly retryAfter: number
  readonly body: ArrayBuffer
}

/** The longest delay of a timer, about 24 days. With a longer one, it fires at once. */
const maxTimerMs = 2 ** 31 - 1

/** Seconds from now, at least 0, at most 2^53-1; 0 if the header is missing or unreadable. */
export const parseRetryAfter = (retryAfter: string | null): number => {
  const given = (retryAfter ?? '').trim()
  if (/^[0-9]+$/.test(given)) return Math.min(Number(given), Number.MAX_SAFE_INTEGER)
  // `Date.parse` also accepts text such as `-5`, so check the form first.
  const date = given.endsWith(' GMT') ? Date.parse(given) : Number.NaN
  return Math.max(0, Math.ceil((date - Date.now()) / 1000)) || 0
}

/** Returns a code or class name of the thrown value. Messages of `fetch` may repeat the URL, which contains secrets. */
const errorCode = (thrown: unknown, url: string): string => {
  const isSafe = (word: unknown): word is string =>
    typeof word === 'string' && /^[A-Za-z][A-Za-z0-9_]{0,60}$/.test(word) && !url.includes(word)
  const { cause, code, name } = Object(thrown)
  return [cause?.code, code, name].find(isSafe) ?? 'unknown'
}

/** The service never redirects. Following a redirect would send the secrets of the URL elsewhere. */
const init = {
  method: 'GET',
  credentials: 'omit',
  redirect: 'manual',
  referrerPolicy: 'no-referrer',
} as const satisfies RequestInit

/** Sends a GET. Rejects with a CanopyError if no response begins. */
export const beginResponse = async (
  fetch: Fetch,
  url: string,
  { Accept, signal }: { readonly Accept: string; readonly signal: AbortSignal },
): Promise<Response> => {
  try {
    return await fetch(url, { ...init, headers: { Accept }, signal })
  } catch (thrown) {
    throw new CanopyError({ error: 'no response', code: errorCode(thrown, url) })
  }
}

/** Rejects with `incomplete response` if a part of the body does not arrive. */
export const orIncomplete = async <A>(part: Promise<A>): Promise<A> => {
  try {
    return await part
  } catch {
    throw new CanopyError({ error: 'incomplete response' })
  }
}

export const readResponse = async (response: Response): Promise<HttpResponse> => {
  const { status, headers } = response
  const body = await orIncomplete(response.arrayBuffer())
  return { status, link: headers.get('Link'), retryAfter: parseRetryAfter(headers.get('Retry-After')), body }
}

const attempt = async (fetch: Fetch, url: string, signal: AbortSignal): Promise<HttpResponse> =>
  readResponse(await beginResponse(fetch, url, { Accept: 'application/json', signal }))

/** One listener for each signal: Node warns about more than ten, and many calls may share a signal. */
const abortCallbacks = new WeakMap<AbortSignal, Set<() => void>>()

// Separate from `onAbort`, because the listener's closure would keep the first callback.
const addListener = (signal: AbortSignal): Set<() => void> => {
  const callbacks = new Set<() => void>()
  abortCallbacks.set(signal, callbacks)
  signal.addEventListener('abort', () => {
    for (const each of callbacks) each()
  })
  return callbacks
}

/** Calls back when the signal is aborted. Returns a function that unsubscribes. */
export const onAbort = (signal: AbortSignal, callback: () => void): (() => void) => {
  const callbacks = abortCallbacks.get(signal) ?? addListener(signal)
  callbacks.add(callback)
  return () => void callbacks.delete(callback)
}

/** Resolves early when the signal is aborted. */
export const wait = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) return resolve()
    const finish = (): void => {
      clearTimeout(timer)
      stopListening?.()
      resolve()
    }
    const timer = setTimeout(finish, ms)
    const stopListening = signal && onAbort(signal, finish)
  })

const maxBackOffMs = 10_000

/**
 * The delay doubles with each attempt, up to 10 seconds. Up to half of it is random, to spread clients that failed at the same
 * moment.
 */
const backOffDelay = (backOffMs: number, attempts: number): number =>
  // Capped, because 0 * Infinity is NaN.
  Math.min(backOffMs * 2 ** Math.min(attempts, 1000), maxBackOffMs) * (0.5 + Math.random() / 2)

/** Temporary failures of the service or a gateway. */
const retryableStatuses = new Set([429, 502, 503, 504])
/** Failures of the connection. */
const retryableErrors = new Set(['no response', 'incomplete response', 'timed out'])

/** Waits before a request is repeated. Returns false if it is not, because its outcome is final or no attempt or time is left. */
export const waitToRepeat = async (
  outcome: HttpResponse | CanopyError,
  attempts: number,
  { retries, backOffMs, signal }: Pick<RequestOptions, 'retries' | 'backOffMs' | 'signal'>,
  endsAt = Number.POSITIVE_INFINITY,
): Promise<boolean> => {
  const failed = outcome instanceof CanopyError
  const canRetry = failed ? retryableErrors.has(outcome.failure.error) : retryableStatuses.has(outcome.status)
  const delay = (failed ? 0 : outcome.retryAfter * 1000) + backOffDelay(backOffMs, attempts)
  // A wait beyond the end of the call would turn the outcome into a timeout.
  const fits = delay <= maxTimerMs && delay < endsAt - performance.now()
  if (!canRetry || attempts >= retries || !fits) return false
  await wait(delay, signal)
  return true
}

/** Repeats temporary failures until attempts or time run out. */
const fetchWithRetries = async (
  url: string,
  options: RequestOptions,
  signal: AbortSignal,
  endsAt: number,
): Promise<HttpResponse> => {
  for (let attempts = 0; ; attempts += 1) {
    const outcome = await attempt(options.fetch, url, signal).catch(canopyErrorOf)
    if (await waitToRepeat(outcome, attempts, { ...options, signal }, endsAt)) signal.throwIfAborted()
    else if (outcome instanceof CanopyError) throw outcome
    else return outcome
  }
}

/** Runs a task until it settles, the time is over or the caller aborts. Rejects with a CanopyError. */
export const runInTime = async <A>(
  { signal, timeoutMs }: Pick<RequestOptions, 'signal' | 'timeoutMs'>,
  run: (signal: AbortSignal) => Promise<A>,
): Promise<A> => {
  if (signal?.aborted === true) throw new CanopyError({ error: 'aborted' })
  const controller = new AbortController()
  // The caller's fetch may ignore its signal. The call ends anyway.
  const ended = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason))
  })
  const onTimeout = (): void => controller.abort(new CanopyError({ error: 'timed out', timeoutMs }))
  const timer = timeoutMs > maxTimerMs ? undefined : setTimeout(onTimeout, timeoutMs)
  const stopListening = signal && onAbort(signal, () => controller.abort(new CanopyError({ error: 'aborted' })))
  try {
    return await Promise.race([ended, run(controller.signal)])
  } finally {
    clearTimeout(timer)
    stopListening?.()
  }
}

/** Sends a GET and retries temporary failures, because all operations are read-only. Rejects with a CanopyError. */
export const sendRequest = (url: string, options: RequestOptions): Promise<HttpResponse> =>
  runInTime(options, (signal) => fetchWithRetries(url, options, signal, performance.now() + options.timeoutMs))
