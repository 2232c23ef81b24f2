import { isDeepStrictEqual } from 'node:util'
import { headerOf, type RawRequest, type RawResponse } from '@canopy/testkit'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { parse } from 'lossless-json'
import { json as documentText } from '../../src/openapi/openapi.yaml.js'

const exactNumber = (digits: string): number | bigint => {
  const read = Number(digits)
  return Number.isSafeInteger(read) || !/^-?[0-9]+$/.test(digits) ? read : BigInt(digits)
}

/** Parses JSON. Integers that a number would round are bigints. */
export const exactJson = (text: string): unknown => parse(text, undefined, exactNumber)

interface Referable {
  readonly $ref?: string
}

interface Header extends Referable {
  readonly required?: boolean
  readonly schema: object
}

type Examples = Readonly<Record<string, { readonly value: unknown }>>

interface Response extends Referable {
  readonly headers?: Readonly<Record<string, Header>>
  readonly content?: Readonly<Record<string, { readonly schema: object; readonly examples: Examples }>>
}

interface Operation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, Response>>
}

interface OpenApi {
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly parameters: Readonly<Record<string, { readonly example?: string }>>
  }
}

export const openApi = exactJson(documentText) as OpenApi

const resolved = <A extends Referable>(value: A): A => {
  if (value.$ref === undefined) return value
  const found = value.$ref
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((node, key) => (node as Readonly<Record<string, unknown>>)[key], openApi)
  if (found === undefined) throw new Error(`${value.$ref} leads nowhere`)
  return found as A
}

export const examplesIn = (response: Response) =>
  Object.values(resolved(response).content ?? {}).flatMap(({ examples }) => Object.values(examples))

/** Translates a schema for ajv: a reference is the name of a component, and integers may be the bigints of `exactJson`. */
const forAjv = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(forAjv)
  if (typeof node !== 'object' || node === null) return node
  const { $ref, type, minimum, maximum } = node as Readonly<Record<string, unknown>>
  if (typeof $ref === 'string') return { $ref: $ref.slice('#/components/schemas/'.length) }
  if (type === 'integer') return { exactInteger: { minimum, maximum } }
  return Object.fromEntries(Object.entries(node).map(([name, field]) => [name, forAjv(field)]))
}

type Bounds = { readonly [Bound in 'minimum' | 'maximum']?: number | bigint }

const isExactInteger = ({ minimum, maximum }: Bounds, value: unknown): boolean =>
  (typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))) &&
  (minimum === undefined || value >= minimum) &&
  (maximum === undefined || value <= maximum)

const ajv = new Ajv2020({ strict: true })
ajv.addKeyword({ keyword: 'exactInteger', schemaType: 'object', validate: isExactInteger })
// For readers only: `oneOf` beside it decides.
ajv.addKeyword('discriminator')
for (const [name, schema] of Object.entries(openApi.components.schemas)) ajv.addSchema(forAjv(schema) as object, name)

const compiled = new WeakMap<object, ValidateFunction>()

export const satisfies = (schema: object, value: unknown): boolean => {
  const validate = compiled.get(schema) ?? ajv.compile(forAjv(schema) as object)
  compiled.set(schema, validate)
  return validate(value)
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')

/** `{path}` is any number of segments, any other parameter is one. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${escaped(path).replaceAll(/\{(\w+)\}/g, (_, name) => (name === 'path' ? '.*' : '[^/]+'))}$`)

const patterns = Object.entries(openApi.paths).map(([path, { get }]) => [patternOf(path), get] as const)

export const operationAt = (target: string): Operation | undefined =>
  patterns.find(([pattern]) => pattern.test(target.split('?')[0] ?? ''))?.[1]

/** The document describes these once for all answers. */
const ofEveryAnswer = new Set(
  (
    'date connection keep-alive content-length transfer-encoding content-type content-encoding vary referrer-policy ' +
    'access-control-allow-origin access-control-expose-headers x-content-type-options x-robots-tag'
  ).split(' '),
)

/** A header is text, or a number if it is documented as one. */
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
  const media = documented.content[type] ?? documented.content['*/*']
  if (media === undefined) return [`a body of type ${type} is not documented`]
  if (type === 'application/x-ndjson') {
    const schema = openApi.components.schemas['Line'] ?? {}
    const lines = text
      .trimEnd()
      .split('\n')
      .filter((line) => !satisfies(schema, exactJson(line)))
    return lines.map((line) => `a line is documented otherwise than ${line}`)
  }
  // The bytes of a file or an archive.
  if (type !== 'application/json') return []
  const body = exactJson(text)
  const isError = (body as { readonly type?: unknown }).type === 'error'
  const isShown = !isError || examplesIn(documented).some(({ value }) => isDeepStrictEqual(value, body))
  return isShown && satisfies(media.schema, body) ? [] : [`the body is documented otherwise than ${text}`]
}

export const undocumented = ({ target }: Pick<RawRequest, 'target'>, response: RawResponse): ReadonlyArray<string> => {
  const found = operationAt(target)?.responses[response.status]
  if (found === undefined) return [`GET ${target}: ${response.status} is not documented`]
  const documented = resolved(found)
  return [...headerViolations(documented, response), ...bodyViolations(documented, response)].map(
    (violation) => `GET ${target}: ${violation}`,
  )
}
