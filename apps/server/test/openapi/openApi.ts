import { json as documentText } from '../../src/openapi/openapi.yaml.js'
import { exactJson } from './exactJson.js'

interface Referable {
  readonly $ref?: string
}

interface Parameter extends Referable {
  readonly description: string
  readonly schema: object
  readonly example?: string
}

export interface Header extends Referable {
  readonly required?: boolean
  readonly schema: object
}

interface Example {
  readonly summary?: string
  readonly value: unknown
}

export interface Response extends Referable {
  readonly headers?: Readonly<Record<string, Header>>
  readonly content?: Readonly<Record<string, { readonly schema: object; readonly examples: Record<string, Example> }>>
}

export interface Operation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, Response>>
}

/** As much of the document as the tests look at. */
interface OpenApi {
  readonly info: { readonly version: string; readonly license: object; readonly contact: object }
  readonly tags: ReadonlyArray<{ readonly name: string }>
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly parameters: Readonly<Record<string, Parameter>>
  }
}

/** Read from the bytes that are served. */
export const openApi = exactJson(documentText) as OpenApi

/** Where a reference leads; anything else is itself. */
export const resolved = <A extends Referable>(value: A): A => {
  if (value.$ref === undefined) return value
  const found = value.$ref
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((node, key) => (node as Readonly<Record<string, unknown>>)[key], openApi)
  if (found === undefined) throw new Error(`${value.$ref} leads nowhere`)
  return found as A
}

/** The examples of a response. */
export const examplesIn = (response: Response): ReadonlyArray<Example> =>
  Object.values(resolved(response).content ?? {}).flatMap(({ examples }) => Object.values(examples))
