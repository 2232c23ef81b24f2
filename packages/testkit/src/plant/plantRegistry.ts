import {
  AccessToken,
  type Area,
  StoragePath,
  TriggerId,
  TriggerValue,
  U64,
  UserId,
  type Visibility,
} from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { constVoid, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type * as t from 'io-ts'
import type { World, WorldAccount, WorldSetting, WorldToken, WorldTrigger } from '../World.js'

/** As much of a registry's writing side as planting takes. */
export interface RegistryPlanter {
  readonly accounts: {
    readonly create: (account: {
      readonly id: UserId.UserId
      readonly name: O.Option<string>
      readonly verified: boolean
      readonly location: O.Option<Area.AreaLocation>
    }) => TE.TaskEither<unknown, unknown>
  }
  readonly tokens: {
    readonly add: (token: {
      readonly token: AccessToken.AccessToken
      readonly account: UserId.UserId
      readonly scope: StoragePath.StoragePath
      readonly expires: O.Option<U64.U64>
      readonly label: O.Option<string>
    }) => TE.TaskEither<unknown, unknown>
    readonly revoke: (token: string) => TE.TaskEither<unknown, unknown>
  }
  readonly settings: {
    readonly set: (
      id: UserId.UserId,
      path: StoragePath.StoragePath,
      visibility: Visibility.Visibility,
    ) => TE.TaskEither<unknown, unknown>
  }
  readonly triggers: {
    readonly create: (trigger: {
      readonly id: TriggerId.TriggerId
      readonly value: TriggerValue.TriggerValue
      readonly expires: O.Option<U64.U64>
    }) => TE.TaskEither<unknown, unknown>
    readonly delete: (id: TriggerId.TriggerId) => TE.TaskEither<unknown, unknown>
  }
}

type Planting = TE.TaskEither<unknown, unknown>

const decoded = <A>(codec: t.Type<A, unknown, unknown>, text: string): TE.TaskEither<unknown, A> =>
  TE.fromEither(codec.decode(text))

/** One after the other: writers take turns anyway. */
const each = <A>(all: ReadonlyArray<A>, plant: (a: A) => Planting): Planting => TE.traverseSeqArray(plant)(all)

/** In the first second of 1970, or never. */
const expiry = (state: string): O.Option<U64.U64> => (state === 'expired' ? O.some(U64.zero) : O.none)

const plantToken =
  ({ tokens }: RegistryPlanter, account: UserId.UserId) =>
  ({ token: text, scope: scopeText, state }: WorldToken): Planting =>
    pipe(
      TE.Do,
      TE.bind('token', () => decoded(AccessToken.codec, text)),
      TE.bind('scope', () => decoded(StoragePath.codec, scopeText)),
      TE.flatMap(({ token, scope }) => tokens.add({ token, account, scope, expires: expiry(state), label: O.none })),
      TE.flatMap(() => (state === 'revoked' ? tokens.revoke(text) : TE.right(undefined))),
    )

const plantSetting =
  ({ settings }: RegistryPlanter, account: UserId.UserId) =>
  ({ path: text, visibility }: WorldSetting): Planting =>
    pipe(
      decoded(StoragePath.codec, text),
      TE.flatMap((path) => settings.set(account, path, visibility)),
    )

const plantAccount =
  (planter: RegistryPlanter) =>
  ({ id: text, verified, tokens, settings }: WorldAccount): Planting =>
    pipe(
      decoded(UserId.codec, text),
      TE.tap((id) => planter.accounts.create({ id, name: O.none, verified, location: O.none })),
      TE.tap((id) => each(tokens, plantToken(planter, id))),
      TE.flatMap((id) => each(settings, plantSetting(planter, id))),
    )

/** A value that is none is planted all the same: a registry may hold what somebody else broke. */
const triggerValue = (json: string): TriggerValue.TriggerValue =>
  pipe(
    TriggerValue.fromJson(json),
    E.getOrElse(() => ({ type: '', json })),
  )

const plantTrigger =
  ({ triggers }: RegistryPlanter) =>
  ({ id: idText, value: json, state }: WorldTrigger): Planting =>
    pipe(
      TE.Do,
      TE.bind('id', () => decoded(TriggerId.codec, idText)),
      TE.tap(({ id }) => triggers.create({ id, value: triggerValue(json), expires: expiry(state) })),
      TE.flatMap(({ id }) => (state === 'deleted' ? triggers.delete(id) : TE.right(undefined))),
    )

/** Writes a world into a registry: all but the nodes of its areas, which it does not keep. `left` is the first failure. */
export const plantRegistry =
  (planter: RegistryPlanter) =>
  ({ accounts, triggers }: World): TE.TaskEither<unknown, void> =>
    pipe(
      each(accounts, plantAccount(planter)),
      TE.flatMap(() => each(triggers, plantTrigger(planter))),
      TE.map(constVoid),
    )
