/** JSON as a value. A bigint is an integer that a number would round. */
export type Json = null | boolean | number | bigint | string | ReadonlyArray<Json> | JsonObject

export interface JsonObject {
  readonly [name: string]: Json
}

const isArray = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

/** Every integer to its last digit, which `JSON.stringify` refuses to do. */
export const toText = (value: Json): string => {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isArray(value)) return `[${value.map(toText).join(',')}]`
  return `{${Object.entries(value)
    .map(([name, field]) => `${JSON.stringify(name)}:${toText(field)}`)
    .join(',')}}`
}
