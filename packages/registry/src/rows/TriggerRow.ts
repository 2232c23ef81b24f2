import { type Failure, TriggerValue, type U64 } from '@canopy/domain'
import type * as E from 'fp-ts/lib/Either.js'
import type * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { decodeRow } from './decodeRow.js'
import { nullable } from './nullable.js'
import * as PaddedU64 from './PaddedU64.js'

/** A trigger without its id, which is a secret that whoever asks knows already. */
export interface TriggerRow {
  readonly value: TriggerValue.TriggerValue
  readonly expires: O.Option<U64.U64>
}

const codec: t.Type<TriggerRow, unknown, unknown> = t.type({
  value: TriggerValue.codec,
  expires: nullable(PaddedU64.codec),
})

export const decode: (row: unknown) => E.Either<Failure.External, TriggerRow> = decodeRow('triggers', codec)
