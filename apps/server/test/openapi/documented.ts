import { headerOf, type RawRequest, type RawResponse } from '@canopy/testkit'
import { exactJson } from './exactJson.js'
import { type Header, type Operation, openApi, type Response, type Responses, resolved } from './openApi.js'
import { satisfies } from './satisfies.js'

const escaped = (text: string): string => text.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')

/** `{path}` is any number of segments, any other parameter is one. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${escaped(path).replaceAll(/\{(\w+)\}/g, (_, name) => (name === 'path' ? '.*' : '[^/]+'))}$`)

const patterns = Object.keys(openApi.paths).map((path) => [patternOf(path), path] as const)

/** The path of the document that a target belongs to. */
export const pathOf = (target: string): string | undefined =>
  patterns.find(([pattern]) => pattern.test(target.split('?')[0] ?? ''))?.[1]

export const operationOf = ({ method, target }: RawRequest): Operation | undefined => {
  const item = openApi.paths[pathOf(target) ?? '']
  return item?.[method.toLowerCase() as 'get' | 'head' | 'options']
}

const responsesTo = (request: RawRequest): Responses =>
  pathOf(request.target) === undefined
    ? openApi['x-other-paths']
    : (operationOf(request)?.responses ??
      openApi.paths[pathOf(request.target) ?? '']?.['x-other-methods'] ??
      openApi['x-other-methods'])

/** Those that carry the message, or that OpenAPI describes elsewhere. */
const framing = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding', 'content-type'])

/** A header is text, and a number where it is documented as one. */
const says = ({ schema }: Header, text: string): boolean =>
  satisfies(schema, text) || (/^[0-9]+$/.test(text) && satisfies(schema, exactJson(text)))

const headerViolations = (headers: Readonly<Record<string, Header>>, response: RawResponse): ReadonlyArray<string> => {
  const known = new Map(Object.entries(headers).map(([name, header]) => [name.toLowerCase(), resolved(header)]))
  return [
    ...response.headers.flatMap(([name, value]) => {
      const header = known.get(name.toLowerCase())
      if (header === undefined) return framing.has(name.toLowerCase()) ? [] : [`${name} is not documented`]
      return says(header, value) ? [] : [`${name} is documented otherwise than ${value}`]
    }),
    ...[...known]
      .filter(([name, { required }]) => required === true && headerOf(response, name) === undefined)
      .map(([name]) => `${name} is missing`),
  ]
}

const bodyViolations = ({ content }: Response, response: RawResponse): ReadonlyArray<string> => {
  const text = response.body.toString()
  if (content === undefined) return text === '' ? [] : ['a body is not documented']
  const type = (headerOf(response, 'Content-Type') ?? '').split(';')[0] ?? ''
  const media = content[type]
  if (media === undefined) return [`a body of type ${type} is not documented`]
  return satisfies(media.schema, exactJson(text)) ? [] : [`the body is documented otherwise than ${text}`]
}

/** Everything that the document does not say of an answer, or says otherwise. */
export const undocumented = (request: RawRequest, response: RawResponse): ReadonlyArray<string> => {
  const found = responsesTo(request)[response.status]
  const what = `${request.method} ${request.target}: `
  if (found === undefined) return [`${what}${response.status} is not documented`]
  const documented = resolved(found)
  return [...headerViolations(documented.headers ?? {}, response), ...bodyViolations(documented, response)].map(
    (violation) => what + violation,
  )
}
