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

type Writing = TE.TaskEither<unknown, unknown>

/** As much of a registry's writing side as seeding takes. */
export interface RegistryToSeed {
  readonly accounts: {
    readonly create: (account: {
      readonly id: UserId.UserId
      readonly name: O.Option<string>
      readonly verified: boolean
      readonly location: O.Option<Area.AreaLocation>
    }) => Writing
  }
  readonly tokens: {
    readonly add: (token: {
      readonly token: AccessToken.AccessToken
      readonly account: UserId.UserId
      readonly scope: StoragePath.StoragePath
      readonly expires: O.Option<U64.U64>
      readonly label: O.Option<string>
    }) => Writing
    readonly revoke: (token: string) => Writing
  }
  readonly settings: {
    readonly set: (id: UserId.UserId, path: StoragePath.StoragePath, visibility: Visibility.Visibility) => Writing
  }
  readonly triggers: {
    readonly create: (trigger: {
      readonly id: TriggerId.TriggerId
      readonly value: TriggerValue.TriggerValue
      readonly expires: O.Option<U64.U64>
    }) => Writing
    readonly delete: (id: TriggerId.TriggerId) => Writing
  }
}

const decoded = <A>(codec: t.Type<A, unknown, unknown>, text: string): TE.TaskEither<unknown, A> =>
  TE.fromEither(codec.decode(text))

/** One after the other: writers take turns anyway. */
const each = <A>(all: ReadonlyArray<A>, seed: (a: A) => Writing): Writing => TE.traverseSeqArray(seed)(all)

/** In the first second of 1970, or never. */
const expiry = (state: string): O.Option<U64.U64> => (state === 'expired' ? O.some(U64.zero) : O.none)

const seedToken =
  ({ tokens }: RegistryToSeed, account: UserId.UserId) =>
  ({ token: text, scope: scopeText, state }: WorldToken): Writing =>
    pipe(
      TE.Do,
      TE.bind('token', () => decoded(AccessToken.codec, text)),
      TE.bind('scope', () => decoded(StoragePath.codec, scopeText)),
      TE.flatMap(({ token, scope }) => tokens.add({ token, account, scope, expires: expiry(state), label: O.none })),
      TE.flatMap(() => (state === 'revoked' ? tokens.revoke(text) : TE.right(undefined))),
    )

const seedSetting =
  ({ settings }: RegistryToSeed, account: UserId.UserId) =>
  ({ path: text, visibility }: WorldSetting): Writing =>
    pipe(
      decoded(StoragePath.codec, text),
      TE.flatMap((path) => settings.set(account, path, visibility)),
    )

const seedAccount =
  (writer: RegistryToSeed) =>
  ({ id: text, verified, tokens, settings }: WorldAccount): Writing =>
    pipe(
      decoded(UserId.codec, text),
      TE.tap((id) => writer.accounts.create({ id, name: O.none, verified, location: O.none })),
      TE.tap((id) => each(tokens, seedToken(writer, id))),
      TE.flatMap((id) => each(settings, seedSetting(writer, id))),
    )

/** A value that is none is seeded all the same: a registry may hold what another program broke. */
const triggerValue = (json: string): TriggerValue.TriggerValue =>
  pipe(
    TriggerValue.fromJson(json),
    E.getOrElse(() => ({ type: '', json })),
  )

const seedTrigger =
  ({ triggers }: RegistryToSeed) =>
  ({ id: idText, value: json, state }: WorldTrigger): Writing =>
    pipe(
      TE.Do,
      TE.bind('id', () => decoded(TriggerId.codec, idText)),
      TE.tap(({ id }) => triggers.create({ id, value: triggerValue(json), expires: expiry(state) })),
      TE.flatMap(({ id }) => (state === 'deleted' ? triggers.delete(id) : TE.right(undefined))),
    )

/** Writes a world into a registry: all but the nodes of its areas, which it does not keep. `left` is the first failure. */
export const seedRegistry =
  (writer: RegistryToSeed) =>
  ({ accounts, triggers }: World): TE.TaskEither<unknown, void> =>
    pipe(
      each(accounts, seedAccount(writer)),
      TE.flatMap(() => each(triggers, seedTrigger(writer))),
      TE.map(constVoid),
    )
