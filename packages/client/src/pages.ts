import { type Call, CanopyError, type Failure } from './failures.js'
import { nextUrl } from './link.js'
import type { HttpResponse } from './request.js'
import { type DirectoryItem, decodeItems, throwMalformed } from './responses.js'

/** Items of a directory. */
export interface Page<F extends Failure> {
  readonly items: ReadonlyArray<DirectoryItem>
  /** Requests the next page with the same limit, signal and timeout. `undefined` on the last page. */
  readonly next: (() => Call<Page<F>, F>) | undefined
}

/** Reports whether a name follows another one in the byte order of UTF-8, which is the order of code points. */
export const follows = (name: string, previous: string): boolean => {
  for (let index = 0; index < name.length; index += 1) {
    const [one = 0, other = -1] = [name.codePointAt(index), previous.codePointAt(index)]
    if (one !== other) return one > other
  }
  return false
}

/**
 * Fetches the page at a URL, whose items follow the name `after`. Names must rise from page to page, so that a loop ends
 * whatever the service sends. A complete listing in one page may have any order.
 */
export const fetchPage = async <F extends Failure>(
  get: (url: string) => Promise<HttpResponse>,
  url: string,
  after: string | undefined,
): Promise<Page<F>> => {
  const response = await get(url)
  const items = decodeItems(response)
  const next = nextUrl(url, response.link)
  // Names are not empty, so any name follows ''.
  const isInOrder = () => items.every(({ name }, index) => follows(name, items[index - 1]?.name ?? after ?? ''))
  if ((next !== undefined || after !== undefined) && !isInOrder()) throwMalformed('content')
  if (next === undefined) return { items, next }
  const last = items.at(-1)?.name ?? throwMalformed('Link')
  return { items, next: () => fetchPage<F>(get, next, last) }
}

/** Iterates over a page and its successors. Lazy: each iteration requests the pages again, one by one. */
export const iteratePages = <F extends Failure>(first: () => Call<Page<F>, F>): AsyncIterable<Page<F>> => ({
  async *[Symbol.asyncIterator]() {
    for (let next: Page<F>['next'] = first; next !== undefined; ) {
      const page: Page<F> = await next()
      yield page
      next = page.next
    }
  },
})

/** Iterates over the items of all pages. An aborted signal ends the loop between two items too. */
export const iterateItems = <F extends Failure>(
  first: () => Call<Page<F>, F>,
  signal: AbortSignal | undefined,
): AsyncIterable<DirectoryItem> => ({
  async *[Symbol.asyncIterator]() {
    for await (const page of iteratePages(first)) {
      for (const item of page.items) {
        if (signal?.aborted === true) throw new CanopyError({ error: 'aborted' })
        yield item
      }
    }
  },
})
