import { isDeepStrictEqual } from 'node:util'
import { headerOf, type RawRequest, type RawResponse } from '@canopy/testkit'
import { exactJson } from './exactJson.js'
import { examplesIn, type Header, type Operation, openApi, type Response, resolved } from './openApi.js'
import { satisfies } from './satisfies.js'

const escaped = (text: string): string => text.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')

/** `{path}` is any number of segments, any other parameter is one. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${escaped(path).replaceAll(/\{(\w+)\}/g, (_, name) => (name === 'path' ? '.*' : '[^/]+'))}$`)

const patterns = Object.entries(openApi.paths).map(([path, { get }]) => [patternOf(path), get] as const)

/** The operation of the document that a target belongs to, whatever the method. */
export const operationAt = (target: string): Operation | undefined =>
  patterns.find(([pattern]) => pattern.test(target.split('?')[0] ?? ''))?.[1]

/** Those that carry the message, and those that the document describes once for all answers. */
const ofEveryAnswer = new Set([
  'date',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'content-type',
  'content-encoding',
  'vary',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'referrer-policy',
  'x-content-type-options',
  'x-robots-tag',
])

/** A header is text, and a number where it is documented as one. */
const says = ({ schema }: Header, text: string): boolean =>
  satisfies(schema, text) || (/^[0-9]+$/.test(text) && satisfies(schema, exactJson(text)))

const headerViolations = ({ headers = {} }: Response, response: RawResponse): ReadonlyArray<string> => {
  const known = new Map(Object.entries(headers).map(([name, header]) => [name.toLowerCase(), resolved(header)]))
  return [
    ...response.headers.flatMap(([name, value]) => {
      const header = known.get(name.toLowerCase())
      if (header === undefined) return ofEveryAnswer.has(name.toLowerCase()) ? [] : [`${name} is not documented`]
      return says(header, value) ? [] : [`${name} is documented otherwise than ${value}`]
    }),
    ...[...known]
      .filter(([name, { required }]) => required === true && headerOf(response, name) === undefined)
      .map(([name]) => `${name} is missing`),
  ]
}

/** An error is one of the examples, to the byte; anything else satisfies the schema. */
const bodyViolations = (documented: Response, response: RawResponse): ReadonlyArray<string> => {
  const text = response.body.toString()
  if (documented.content === undefined) return text === '' ? [] : ['a body is not documented']
  const type = (headerOf(response, 'Content-Type') ?? '').split(';')[0] ?? ''
  const media = documented.content[type]
  if (media === undefined) return [`a body of type ${type} is not documented`]
  const body = exactJson(text)
  const isError = (body as { readonly type?: unknown }).type === 'error'
  const isShown = !isError || examplesIn(documented).some(({ value }) => isDeepStrictEqual(value, body))
  return isShown && satisfies(media.schema, body) ? [] : [`the body is documented otherwise than ${text}`]
}

/** Everything that the document does not say of an answer to GET, or says otherwise. */
export const undocumented = ({ target }: Pick<RawRequest, 'target'>, response: RawResponse): ReadonlyArray<string> => {
  const found = operationAt(target)?.responses[response.status]
  if (found === undefined) return [`GET ${target}: ${response.status} is not documented`]
  const documented = resolved(found)
  return [...headerViolations(documented, response), ...bodyViolations(documented, response)].map(
    (violation) => `GET ${target}: ${violation}`,
  )
}
