import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Received } from './exchange.js'
import { type WrongShape, wrongShape } from './TransportFailure.js'

// As RFC 8288 reads them: a parameter may be empty, or its value, and so may an element of the list (RFC 9110). No text
// can be split in two ways, so that reading takes time in proportion to its length.
const value = String.raw`\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"<>]+))`
const parameter = String.raw`\s*;(?:\s*([^\s=;,"<>]+)(?:\s*=(?:${value})?)?)?`
const parameters = new RegExp(parameter, 'g')
const links = new RegExp(String.raw`[\s,]*<([^<>]*)>((?:${parameter})*)\s*(?:,|$)`, 'y')
const emptyElements = /^[\s,]*$/

interface Link {
  readonly target: string
  readonly relations: ReadonlyArray<string>
}

const relationsOf = (text: string): ReadonlyArray<string> => {
  const [, , quoted, bare] = [...text.matchAll(parameters)].find(([, name]) => name?.toLowerCase() === 'rel') ?? []
  return (quoted ?? bare ?? '').toLowerCase().split(/\s+/)
}

/** Every link of the header; `none` when any part of it cannot be read. */
const readLinks = (header: string): O.Option<ReadonlyArray<Link>> => {
  const read: Array<Link> = []
  links.lastIndex = 0
  while (!emptyElements.test(header.slice(links.lastIndex))) {
    const [, target = '', text = ''] = links.exec(header) ?? []
    if (links.lastIndex === 0) return O.none
    read.push({ target, relations: relationsOf(text) })
  }
  return O.some(read)
}

const withoutQuery = (url: string): string => url.replace(/[?#].*$/s, '')

/**
 * Resolved against the URL that was asked. Only its query is taken, since URL parsers rewrite paths; a next page of
 * another path or host, or the same page once more, is refused.
 */
const resolve = (reference: string, url: string): O.Option<string> =>
  pipe(
    O.tryCatch(() => ({ to: new URL(reference, url), from: new URL(url) })),
    O.filter(({ to, from }) => to.origin === from.origin && to.pathname === from.pathname && to.search !== from.search),
    O.map(({ to }) => `${withoutQuery(url)}${to.search}`),
  )

/** Where the next page of a listing is; `none` on the last one. */
export const nextUrl = (url: string, { link, status }: Received): E.Either<WrongShape, O.Option<string>> =>
  pipe(
    link === null ? O.some([]) : readLinks(link),
    O.map((all) => all.find(({ relations }) => relations.includes('next'))),
    O.flatMap((next) => (next === undefined ? O.some(O.none) : pipe(resolve(next.target, url), O.map(O.some)))),
    E.fromOption(() => wrongShape(status, 'Link')),
  )
