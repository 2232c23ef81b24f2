// Uses the client on a page of another origin. Results leave the page as text, which keeps every digit.
import { CanopyError, createClient } from '../../src/index.js'

const text = (value: unknown): string =>
  JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? `${field}n` : field))

const told = (promise: Promise<unknown>): Promise<string> =>
  promise.then(text, (reason) => (reason instanceof CanopyError ? text(reason.failure) : `thrown: ${reason}`))

export interface Page {
  readonly operation: (baseUrl: string, name: string, request: unknown, call?: object) => Promise<string>
  readonly listed: (baseUrl: string, token: string, limit: number) => Promise<string>
  readonly unfound: (baseUrl: string, token: string, names: ReadonlyArray<string>) => Promise<ReadonlyArray<string>>
  readonly aborted: (baseUrl: string, token: string) => Promise<string>
}

const page: Page = {
  operation: (baseUrl, name, request, call) => {
    // The test chooses the operation and the request.
    const operations = createClient({ baseUrl, retries: 0 }) as unknown as Readonly<
      Record<string, (request: unknown, call?: object) => Promise<unknown>>
    >
    return told(operations[name]?.(request, call) ?? Promise.resolve('no such operation'))
  },
  listed: async (baseUrl, token, limit) => {
    const canopy = createClient({ baseUrl })
    const names: Array<string> = []
    const pages: Array<number> = []
    for await (const { items } of canopy.storagePages({ token, path: '/', limit })) pages.push(items.length)
    for await (const { name } of canopy.storageItems({ token, path: '/', limit })) names.push(name)
    return text({ names, pages })
  },
  unfound: async (baseUrl, token, names) => {
    const canopy = createClient({ baseUrl, retries: 0 })
    const found = await Promise.all(
      names.map((name) => canopy.storageTree({ token, path: `/${name}` }).then((node) => node.name, String)),
    )
    return names.filter((name, index) => found[index] !== name)
  },
  aborted: (baseUrl, token) => {
    const controller = new AbortController()
    const call = told(createClient({ baseUrl }).storageTree({ token, path: '/' }, { signal: controller.signal }))
    setTimeout(() => controller.abort(), 50)
    return call
  },
}

Object.assign(globalThis, { page })
