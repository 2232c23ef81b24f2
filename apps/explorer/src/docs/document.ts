// The OpenAPI document, as far as the page uses it. Integers keep every digit.
import { parse } from 'lossless-json'
import { root } from '../routes.js'

interface Ref {
  readonly $ref: string
}

export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly const?: unknown
  readonly enum?: ReadonlyArray<unknown>
  readonly description?: string
  readonly items?: Schema
  readonly oneOf?: ReadonlyArray<Schema>
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly example?: string
}

export interface ResponseObject {
  readonly description: string
  readonly content?: Readonly<
    Record<
      string,
      { readonly schema?: Schema; readonly examples?: Readonly<Record<string, { readonly value: unknown }>> }
    >
  >
}

interface Operation {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly summary: string
  readonly description?: string
  readonly parameters?: ReadonlyArray<Parameter | Ref>
  readonly responses: Readonly<Record<string, ResponseObject | Ref>>
}

export interface OpenApi {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly responses: Readonly<Record<string, ResponseObject>>
  }
}

/** An operation with its references resolved. */
export interface ResolvedOperation extends Omit<Operation, 'parameters' | 'responses'> {
  readonly path: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly responses: ReadonlyArray<readonly [status: string, response: ResponseObject]>
}

export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

const resolve = <A extends object>(value: A | Ref, among: Readonly<Record<string, A>>): ReadonlyArray<A> => {
  if (!('$ref' in value)) return [value]
  const found = among[nameOf(value.$ref)]
  return found === undefined ? [] : [found]
}

export const operationsOf = ({ paths, components }: OpenApi): ReadonlyArray<ResolvedOperation> =>
  Object.entries(paths).map(([path, { get }]) => ({
    ...get,
    path,
    parameters: (get.parameters ?? []).flatMap((parameter) => resolve(parameter, components.parameters)),
    responses: Object.entries(get.responses).flatMap(([status, response]) =>
      resolve(response, components.responses).map((found) => [status, found] as const),
    ),
  }))

export const loadDocument = async (): Promise<OpenApi> => {
  const response = await fetch(`${root}openapi.json`)
  return parse(await response.text()) as OpenApi
}

export type Values = Readonly<Record<string, string>>

/** Only the slashes of a path stay unencoded. */
const encodeValue = (name: string, value: string): string =>
  (name === 'path' ? value.split('/') : [value]).map(encodeURIComponent).join('/').replaceAll("'", '%27')

/** Returns the URL of a request, with examples for missing values. */
export const urlOf = ({ path, parameters }: ResolvedOperation, values: Values): string => {
  const textOf = ({ name, example }: Parameter): string => values[name] || example || ''
  const target = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce(
      (text, parameter) => text.replace(`{${parameter.name}}`, () => encodeValue(parameter.name, textOf(parameter))),
      path,
    )
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && values[parameter.name])
    .map(({ name }) => `${name}=${encodeValue(name, values[name] ?? '')}`)
  return `${root.slice(0, -1)}${target}${query.length === 0 ? '' : `?${query.join('&')}`}`
}

export const headersOf = (
  { parameters }: ResolvedOperation,
  values: Values,
): ReadonlyArray<readonly [string, string]> =>
  parameters.flatMap((parameter) => {
    const value = parameter.in === 'header' ? values[parameter.name] : undefined
    return value === undefined || value === '' ? [] : [[parameter.name, value] as const]
  })

/** One line for a POSIX shell. */
export const curlOf = (operation: ResolvedOperation, values: Values): string =>
  [
    `curl '${urlOf(operation, values)}'`,
    ...headersOf(operation, values).map(([name, value]) => `-H '${name}: ${value.replaceAll("'", `'\\''`)}'`),
  ].join(' ')

const secrets = new Set(['token', 'triggerid'])

/** Reports whether a parameter must not be readable over someone's shoulder. */
export const isSecret = (name: string): boolean => secrets.has(name)

const mask = '••••••'

/** The command as the page shows it. */
export const maskedCurlOf = (operation: ResolvedOperation, values: Values): string => {
  const masked = Object.entries(values).map(([name, value]) => [name, isSecret(name) && value !== '' ? mask : value])
  return curlOf(operation, Object.fromEntries(masked)).replaceAll(encodeURIComponent(mask), mask)
}
