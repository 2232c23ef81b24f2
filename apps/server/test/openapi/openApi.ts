import { documentText } from '../../src/openapi/document.js'
import { exactJson } from './exactJson.js'

export interface Referable {
  readonly $ref?: string
}

export interface Parameter extends Referable {
  readonly name: string
  readonly in: string
  readonly schema: object
  readonly example?: string
}

export interface Header extends Referable {
  readonly description?: string
  readonly required?: boolean
  readonly schema: { readonly const?: string }
}

export interface Example {
  readonly summary?: string
  readonly value: unknown
}

export interface Response extends Referable {
  readonly headers?: Readonly<Record<string, Header>>
  readonly content?: Readonly<Record<string, { readonly schema: object; readonly examples: Record<string, Example> }>>
}

export type Responses = Readonly<Record<string, Response>>

export interface Operation {
  readonly operationId: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly responses: Responses
}

export interface PathItem {
  readonly get: Operation
  readonly head: Operation
  /** None of a probe. */
  readonly options?: Operation
  /** What is answered to every other method, where it is not what is answered elsewhere. */
  readonly 'x-other-methods'?: Responses
}

/** As much of the document as the tests look at. */
export interface OpenApi {
  readonly info: { readonly version: string; readonly description: string }
  readonly tags: ReadonlyArray<{ readonly name: string }>
  readonly servers: ReadonlyArray<{ readonly url: string }>
  readonly paths: Readonly<Record<string, PathItem>>
  readonly 'x-other-methods': Responses
  readonly 'x-other-paths': Responses
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly headers: Readonly<Record<string, Header>>
    readonly responses: Readonly<Record<string, Response>>
  }
}

/** Read from the bytes that are served. */
export const openApi = exactJson(documentText) as OpenApi

export const operationsOf = ({ get, head, options }: PathItem): ReadonlyArray<Operation> =>
  options === undefined ? [get, head] : [get, head, options]

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
