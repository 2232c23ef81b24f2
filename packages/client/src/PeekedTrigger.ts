import type { TriggerValue } from '@canopy/domain'
import type { LosslessNumber } from 'lossless-json'

/** JSON of which no digit is lost: `n.value` is a number's digits, `Number(n.value)` the nearest number. */
export type JsonValue = null | boolean | string | LosslessNumber | ReadonlyArray<JsonValue> | JsonObject

export interface JsonObject {
  readonly [name: string]: JsonValue
}

/** What a trigger holds: its type, its whole JSON text exactly as it came, and the same text parsed. */
export interface PeekedTrigger extends TriggerValue.TriggerValue {
  readonly value: JsonObject
}
