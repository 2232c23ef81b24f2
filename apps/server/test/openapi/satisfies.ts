import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { openApi } from './openApi.js'

interface Bounds {
  readonly minimum?: number | bigint
  readonly maximum?: number | bigint
}

const isObject = (node: unknown): node is Readonly<Record<string, unknown>> => typeof node === 'object' && node !== null

/**
 * The same schema for ajv: a reference is the name of a component, and `integer` takes bigints, which `exactJson` reads where
 * ajv itself would see a rounded number.
 */
const forAjv = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(forAjv)
  if (!isObject(node)) return node
  if (typeof node['$ref'] === 'string') return { $ref: node['$ref'].slice('#/components/schemas/'.length) }
  if (node['type'] === 'integer') return { exactInteger: { minimum: node['minimum'], maximum: node['maximum'] } }
  return Object.fromEntries(Object.entries(node).map(([name, field]) => [name, forAjv(field)]))
}

const isExactInteger = ({ minimum, maximum }: Bounds, value: unknown): boolean =>
  (typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))) &&
  (minimum === undefined || value >= minimum) &&
  (maximum === undefined || value <= maximum)

const ajv = new Ajv2020({ strict: true })
ajv.addKeyword({ keyword: 'exactInteger', schemaType: 'object', validate: isExactInteger })
// It helps readers and decides nothing: `oneOf` stands beside it.
ajv.addKeyword('discriminator')
for (const [name, schema] of Object.entries(openApi.components.schemas)) ajv.addSchema(forAjv(schema) as object, name)

const compiled = new WeakMap<object, ValidateFunction>()

/** Whether a value that `exactJson` read satisfies a schema of the document. */
export const satisfies = (schema: object, value: unknown): boolean => {
  const validate = compiled.get(schema) ?? ajv.compile(forAjv(schema) as object)
  compiled.set(schema, validate)
  return validate(value)
}
