import { type DirectoryItem, malformedAnswer, readItems } from './answers.js'
import { type Call, CanopyError, type Failure } from './failures.js'
import type { Received } from './request.js'

/** Items of a directory. */
export interface Page<F extends Failure> {
  readonly items: ReadonlyArray<DirectoryItem>
  /** Asks for the next page with the same limit, signal and time-out. `undefined` on the last page. */
  readonly next: (() => Call<Page<F>, F>) | undefined
}

// RFC 8288: a parameter or its value may be empty, and so may an element of the list (RFC 9110). No text can be split in
// two ways, so reading takes time in proportion to its length.
const value = String.raw`\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"<>]+))`
const parameter = String.raw`\s*;(?:\s*([^\s=;,"<>]+)(?:\s*=(?:${value})?)?)?`
const parameters = new RegExp(parameter, 'g')
const links = new RegExp(String.raw`[\s,]*<([^<>]*)>((?:${parameter})*)\s*(?:,|$)`, 'y')

const isNext = (text: string): boolean => {
  const [, , quoted, bare] = [...text.matchAll(parameters)].find(([, name]) => name?.toLowerCase() === 'rel') ?? []
  return (quoted ?? bare ?? '').toLowerCase().split(/\s+/).includes('next')
}

/** The target of the first link to a next page. A header that cannot be read to its end is malformed. */
const nextIn = (header: string): string | undefined => {
  const next: Array<string> = []
  links.lastIndex = 0
  while (!/^[\s,]*$/.test(header.slice(links.lastIndex))) {
    const [, target = '', text = ''] = links.exec(header) ?? malformedAnswer('Link')
    if (isNext(text)) next.push(target)
  }
  return next[0]
}

/**
 * Where the next page of a listing is. Only the query of the link counts, since URL parsers rewrite paths; another path or
 * host, or the same page again, is malformed.
 */
export const nextUrl = (url: string, link: string | null): string | undefined => {
  const target = link === null ? undefined : nextIn(link)
  if (target === undefined) return undefined
  if (!URL.canParse(target, url)) return malformedAnswer('Link')
  const [from, to] = [new URL(url), new URL(target, url)]
  return to.origin === from.origin && to.pathname === from.pathname && to.search !== from.search
    ? `${url.replace(/[?#].*$/s, '')}${to.search}`
    : malformedAnswer('Link')
}

/** Whether a name follows another one in the byte order of UTF-8, which is that of code points. */
const follows = (name: string, before: string): boolean => {
  for (let at = 0; at < name.length; at += 1) {
    const [one = 0, other = -1] = [name.codePointAt(at), before.codePointAt(at)]
    if (one !== other) return one > other
  }
  return false
}

/**
 * The page at a URL, whose items follow the name `after`. Every page must lead further, so that a loop over them ends
 * whatever the service says. Only a complete listing in one page may have any order.
 */
export const pageAt = async <F extends Failure>(
  ask: (url: string) => Promise<Received>,
  url: string,
  after: string | undefined,
): Promise<Page<F>> => {
  const received = await ask(url)
  const items = readItems(received)
  const next = nextUrl(url, received.link)
  // No name is empty.
  const isInOrder = () => items.every(({ name }, index) => follows(name, items[index - 1]?.name ?? after ?? ''))
  if ((next !== undefined || after !== undefined) && !isInOrder()) malformedAnswer('content')
  if (next === undefined) return { items, next }
  const last = items.at(-1)?.name ?? malformedAnswer('Link')
  return { items, next: () => pageAt<F>(ask, next, last) }
}

/** A page and those after it, each asked for when the loop comes to it. A second loop asks again. */
export const pages = <F extends Failure>(first: () => Call<Page<F>, F>): AsyncIterable<Page<F>> => ({
  async *[Symbol.asyncIterator]() {
    for (let next: Page<F>['next'] = first; next !== undefined; ) {
      const page: Page<F> = await next()
      yield page
      next = page.next
    }
  },
})

/** The items of all pages. An aborted signal ends the loop between two items too. */
export const items = <F extends Failure>(
  first: () => Call<Page<F>, F>,
  signal: AbortSignal | undefined,
): AsyncIterable<DirectoryItem> => ({
  async *[Symbol.asyncIterator]() {
    for await (const page of pages(first)) {
      for (const item of page.items) {
        if (signal?.aborted === true) throw new CanopyError({ error: 'aborted' })
        yield item
      }
    }
  },
})
