import { CanopyError } from './failures.js'

/** What the client needs of `fetch`: the browser's and Node's own fit. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** How one call differs from the others of its client. `undefined` means the same as a missing option. */
export interface CallOptions {
  /** Ends the call at once: while it sends, reads the body, or waits for the next attempt. */
  readonly signal?: AbortSignal | undefined
  /** Instead of the client's: in milliseconds, for this call with all its retries and waits, and for each page of a loop. */
  readonly timeoutMs?: number | undefined
}

export interface RequestSettings {
  readonly fetch: Fetch
  readonly retries: number
  readonly backOffMs: number
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/** A complete answer of any status. */
export interface Received {
  readonly status: number
  /** The header `Link`. */
  readonly link: string | null
  /** Seconds that `Retry-After` asks for; 0 if it does not say. */
  readonly retryAfter: number
  readonly bytes: ArrayBuffer
}

/** The longest wait of a timer, some 24 days: a longer one would end at once. */
const longestMs = 2 ** 31 - 1

/** Seconds from now, at least 0, at most 2^53-1; 0 if the header is missing or not readable. */
export const secondsIn = (retryAfter: string | null): number => {
  const given = (retryAfter ?? '').trim()
  if (/^[0-9]+$/.test(given)) return Math.min(Number(given), Number.MAX_SAFE_INTEGER)
  // `Date.parse` alone accepts much else, such as `-5`. What is no date is NaN.
  const date = given.endsWith(' GMT') ? Date.parse(given) : Number.NaN
  return Math.max(0, Math.ceil((date - Date.now()) / 1000)) || 0
}

/** A word of the thrown value that cannot hold a secret: messages of `fetch` repeat the URL, so no message is used. */
const causeOf = (thrown: unknown, url: string): string => {
  const isSafe = (word: unknown): word is string =>
    typeof word === 'string' && /^[A-Za-z][A-Za-z0-9_]{0,60}$/.test(word) && !url.includes(word)
  const { cause, code, name } = Object(thrown)
  return [cause?.code, code, name].find(isSafe) ?? 'unknown'
}

/** A redirect would take the secrets of the URL elsewhere. The service never redirects. */
const init: RequestInit = {
  method: 'GET',
  headers: { Accept: 'application/json' },
  credentials: 'omit',
  redirect: 'manual',
  referrerPolicy: 'no-referrer',
}

/** One attempt. */
const attempt = async (fetch: Fetch, url: string, signal: AbortSignal): Promise<Received | CanopyError> => {
  let response: Response
  try {
    response = await fetch(url, { ...init, signal })
  } catch (thrown) {
    return new CanopyError({ error: 'no answer', cause: causeOf(thrown, url) })
  }
  const { status, headers } = response
  try {
    const bytes = await response.arrayBuffer()
    return { status, link: headers.get('Link'), retryAfter: secondsIn(headers.get('Retry-After')), bytes }
  } catch {
    return new CanopyError({ error: 'incomplete answer' })
  }
}

/** Node warns of more than ten listeners, and a caller may end many calls with one signal: each signal gets one. */
const callbacksOf = new WeakMap<AbortSignal, Set<() => void>>()

/** Calls back when the signal is aborted, until the returned function is called. */
const onAbort = (signal: AbortSignal, callback: () => void): (() => void) => {
  const callbacks = callbacksOf.get(signal) ?? new Set()
  if (!callbacksOf.has(signal)) {
    callbacksOf.set(signal, callbacks)
    signal.addEventListener('abort', () => {
      for (const each of callbacks) each()
    })
  }
  callbacks.add(callback)
  return () => void callbacks.delete(callback)
}

/** Ends early when the signal is aborted. */
const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })

const longestBackOffMs = 10_000

/** Doubles with each attempt up to 10 seconds. Half is random, so that clients that failed together do not return together. */
const backOff = (backOffMs: number, attempts: number): number =>
  Math.min(backOffMs * 2 ** Math.min(attempts, 1000), longestBackOffMs) * (0.5 + Math.random() / 2)

/** What gateways and the service say about a failure that may pass. */
const passing = new Set([429, 502, 503, 504])

/** Asks until there is an answer that another attempt would not change, or no attempt or time left for another one. */
const retry = async (
  url: string,
  settings: RequestSettings,
  signal: AbortSignal,
  endsAt: number,
): Promise<Received> => {
  for (let attempts = 0; ; attempts += 1) {
    const outcome = await attempt(settings.fetch, url, signal)
    const failed = outcome instanceof CanopyError
    const asked = failed ? 0 : outcome.retryAfter * 1000
    const delay = asked + backOff(settings.backOffMs, attempts)
    const mayPass = failed || passing.has(outcome.status)
    // A wait beyond the end of the call would hide the outcome behind a time-out.
    const fits = delay <= longestMs && delay < endsAt - performance.now()
    if (!mayPass || !fits || attempts >= settings.retries || signal.aborted) {
      if (failed) throw outcome
      return outcome
    }
    await wait(delay, signal)
    signal.throwIfAborted()
  }
}

/** The complete answer to a GET, after retries. Rejects with a CanopyError. Every operation changes nothing, so each may be repeated. */
export const request = async (url: string, settings: RequestSettings): Promise<Received> => {
  const { signal, timeoutMs } = settings
  if (signal?.aborted === true) throw new CanopyError({ error: 'aborted' })
  const controller = new AbortController()
  // A fetch of the caller may ignore its signal: the call ends all the same.
  const ended = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason))
  })
  const timeOut = (): void => controller.abort(new CanopyError({ error: 'timed out', timeoutMs }))
  const timer = timeoutMs > longestMs ? undefined : setTimeout(timeOut, timeoutMs)
  const stopListening = signal && onAbort(signal, () => controller.abort(new CanopyError({ error: 'aborted' })))
  try {
    return await Promise.race([ended, retry(url, settings, controller.signal, performance.now() + timeoutMs)])
  } finally {
    clearTimeout(timer)
    stopListening?.()
  }
}
