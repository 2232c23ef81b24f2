import type { TriggerRecord } from '@canopy/registry/admin'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as Json from '../Json.js'
import * as When from '../When.js'

export const triggerJson = ({ id, value, expires }: TriggerRecord): Json.Json => ({
  id,
  value: Json.raw(value.json),
  expires: pipe(expires, O.map(When.toIso), O.toNullable),
})
