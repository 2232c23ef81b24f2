// Uses the client on a page of another origin. Results leave the page as text, which keeps every digit.
import { CanopyError, createClient } from '../../src/index.js'

const text = (value: unknown) => JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? `${field}n` : field))

const operation = async (baseUrl: string, name: string, request: unknown): Promise<string> => {
  const operations = createClient({ baseUrl, retries: 0 }) as unknown as Readonly<
    Record<string, (request: unknown) => Promise<unknown>>
  >
  try {
    return text(await operations[name]?.(request))
  } catch (thrown) {
    return thrown instanceof CanopyError ? text(thrown.failure) : `thrown: ${String(thrown)}`
  }
}

const page = { operation }
export type Page = typeof page

Object.assign(globalThis, { page })
