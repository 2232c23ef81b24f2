// Uses the client on a page of another origin. Results leave the page as text, which keeps every digit.
import { CanopyError, createClient } from '../../src/index.js'

const text = (value: unknown): string =>
  JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? `${field}n` : field))

const settled = (promise: Promise<unknown>): Promise<string> =>
  promise.then(text, (reason) => (reason instanceof CanopyError ? text(reason.failure) : `thrown: ${reason}`))

export interface Page {
  readonly operation: (baseUrl: string, name: string, request: unknown, call?: object) => Promise<string>
  readonly aborted: (baseUrl: string, token: string) => Promise<string>
}

const page: Page = {
  operation: (baseUrl, name, request, call) => {
    // The test chooses the operation and the request.
    const operations = createClient({ baseUrl, retries: 0 }) as unknown as Readonly<
      Record<string, (request: unknown, call?: object) => Promise<unknown>>
    >
    return settled(operations[name]?.(request, call) ?? Promise.resolve('no such operation'))
  },
  aborted: (baseUrl, token) => {
    const controller = new AbortController()
    const call = settled(createClient({ baseUrl }).storageTree({ token, path: '/' }, { signal: controller.signal }))
    setTimeout(() => controller.abort(), 50)
    return call
  },
}

Object.assign(globalThis, { page })
