import { throwMalformed } from './responses.js'

// RFC 8288. Parameters, their values and elements of the list (RFC 9110) may be empty. The patterns are unambiguous, so
// that matching takes linear time. The library http-link-header misreads parameters without a value (`crossorigin`).
const value = String.raw`\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"<>]+))`
const parameter = String.raw`\s*;(?:\s*([^\s=;,"<>]+)(?:\s*=(?:${value})?)?)?`
const parameterPattern = new RegExp(parameter, 'g')
const linkPattern = new RegExp(String.raw`[\s,]*<([^<>]*)>((?:${parameter})*)\s*(?:,|$)`, 'y')

const hasRelNext = (parameters: string): boolean => {
  const rel = [...parameters.matchAll(parameterPattern)].find(([, name]) => name?.toLowerCase() === 'rel')
  const [, , quoted, bare] = rel ?? []
  return (quoted ?? bare ?? '').toLowerCase().split(/\s+/).includes('next')
}

/** Returns the target of the first link with `rel=next`. The whole header must be well-formed. */
const findNext = (header: string): string | undefined => {
  const targets: Array<string> = []
  linkPattern.lastIndex = 0
  while (!/^[\s,]*$/.test(header.slice(linkPattern.lastIndex))) {
    const [, target = '', parameters = ''] = linkPattern.exec(header) ?? throwMalformed('Link')
    if (hasRelNext(parameters)) targets.push(target)
  }
  return targets[0]
}

/**
 * Returns the URL of the next page, from the `Link` header of the page at `url`. Keeps the path of `url` and takes only the
 * query of the link, because URL parsers rewrite paths. A link to another path, another host or the same page is malformed.
 */
export const nextUrl = (url: string, header: string | null): string | undefined => {
  const target = header === null ? undefined : findNext(header)
  if (target === undefined) return undefined
  if (!URL.canParse(target, url)) return throwMalformed('Link')
  const [from, to] = [new URL(url), new URL(target, url)]
  return to.origin === from.origin && to.pathname === from.pathname && to.search !== from.search
    ? `${url.replace(/[?#].*$/s, '')}${to.search}`
    : throwMalformed('Link')
}
