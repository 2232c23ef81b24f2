import { AccessToken, NamePattern, type Rule, StoragePath, TriggerId, TriggerValue, U64, UserId } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as t from 'io-ts'
import type { NewAccount } from '../src/admin/tables.js'
import { type NewToken, padded, type TriggerRecord } from '../src/rows.js'

const decoded =
  <A>(codec: t.Type<A, unknown, unknown>) =>
  (text: string): A =>
    pipe(
      codec.decode(text),
      E.getOrElse((): A => {
        throw new Error(`the test spells a ${codec.name} wrongly: ${text}`)
      }),
    )

export const user = decoded(UserId.codec)
export const accessToken = decoded(AccessToken.codec)
export const path = decoded(StoragePath.codec)
export const pattern = decoded(NamePattern.codec)
export const rule = (text: string, visibility: Rule['visibility'] = 'private'): Rule => ({
  pattern: pattern(text),
  visibility,
})
export const triggerId = decoded(TriggerId.codec)
export const triggerValue = decoded(TriggerValue.codec)
export const [one, two, without, unknown] = [user('1'), user('2'), user('3'), user('4')]
export const [rowsOfOne, rowsOfTwo] = [padded(one), padded(two)]
export const seconds = (n: number | bigint): U64.U64 => U64.clamp(BigInt(n))

export const token = (n: number): AccessToken.AccessToken => accessToken(`cnp_${String(n).padStart(42, 'A')}A`)

export const newAccount = (change: Partial<NewAccount> = {}): NewAccount => ({
  id: user('1'),
  name: O.none,
  verified: true,
  location: O.none,
  ...change,
})

export const newToken = (account: UserId.UserId, change: Partial<NewToken> = {}): NewToken => ({
  token: token(1),
  account,
  scope: StoragePath.root,
  expires: O.none,
  label: O.none,
  ...change,
})

export const newTrigger = (id: string, change: Partial<TriggerRecord> = {}): TriggerRecord => ({
  id: triggerId(id),
  value: triggerValue('{"type":"t"}'),
  expires: O.none,
  ...change,
})
