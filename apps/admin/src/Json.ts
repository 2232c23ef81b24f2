/** JSON for the output. A `Raw` is JSON text that is passed on as it is, digits beyond 2^53 included. */
export type Json = null | boolean | number | string | Raw | ReadonlyArray<Json> | Fields

export interface Fields {
  readonly [field: string]: Json
}

const isRaw: unique symbol = Symbol('raw JSON')

interface Raw {
  readonly [isRaw]: string
}

export const raw = (json: string): Raw => ({ [isRaw]: json })

const isList = (json: Json): json is ReadonlyArray<Json> => Array.isArray(json)

export const text = (json: Json): string => {
  if (json === null || typeof json !== 'object') return JSON.stringify(json)
  if (isList(json)) return `[${json.map(text).join(',')}]`
  if (isRaw in json) return json[isRaw]
  return `{${Object.entries(json)
    .map(([field, value]) => `${JSON.stringify(field)}:${text(value)}`)
    .join(',')}}`
}
