import type { JsonObject } from './Json.js'

type Kind = 'schemas' | 'parameters' | 'headers' | 'responses'

/** Points at a component of the document. */
export const refTo = (kind: Kind, name: string): JsonObject => ({ $ref: `#/components/${kind}/${name}` })
