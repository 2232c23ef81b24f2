import { Area, Failure, type Settings, type StoragePath, TriggerValue, UserId } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Ports, RegistryPorts } from '../Ports.js'
import { settingsMap, type World, type WorldAccount, type WorldToken } from '../World.js'
import { memoryStorage } from './memoryStorage.js'

const areaOf = (account: WorldAccount): E.Either<Failure.External, Area.Area> =>
  pipe(
    UserId.fromDecimal(account.id),
    E.fromOption(() => Failure.external(`not an account id: ${account.id}`)),
    E.map((owner) => ({ owner, location: Area.location(account.id) })),
  )

const tokensOf = (account: WorldAccount) => account.tokens.map((token) => ({ account, token }))

const grantOf = ({ account, token }: { readonly account: WorldAccount; readonly token: WorldToken }) =>
  pipe(
    E.Do,
    E.filterOrElse(
      () => account.verified,
      () => Failure.notVerified,
    ),
    E.bindW('area', () => areaOf(account)),
    E.map(({ area }): Area.Grant => ({ area, scope: token.scope as StoragePath.StoragePath })),
  )

/** The reference implementation of the registry ports: accounts, tokens, settings and triggers as plain data. */
export const memoryRegistry = (world: World): RegistryPorts => ({
  areaOfToken: (asked) =>
    pipe(
      world.accounts,
      RA.flatMap(tokensOf),
      RA.findFirst(({ token }) => token.token === asked && token.state === 'valid'),
      E.fromOption(() => Failure.invalidToken),
      E.flatMap(grantOf),
      TE.fromEither,
    ),
  areaOfUser: (user) =>
    pipe(
      world.accounts,
      RA.findFirst(({ id, verified }) => id === UserId.toDecimal(user) && verified),
      E.fromOption(() => Failure.permissionDenied),
      E.flatMap(areaOf),
      TE.fromEither,
    ),
  settingsOf: (owner) =>
    TE.right(
      pipe(
        world.accounts,
        RA.findFirst(({ id }) => id === UserId.toDecimal(owner)),
        O.match((): Settings.Settings => new Map(), settingsMap),
      ),
    ),
  triggerOf: (asked) =>
    pipe(
      world.triggers,
      RA.findFirst(({ id, state }) => id === asked && state === 'valid'),
      E.fromOption(() => Failure.triggerNotFound),
      E.flatMap(({ value }) => pipe(TriggerValue.fromJson(value), E.mapLeft(Failure.external))),
      TE.fromEither,
    ),
})

/** Every port over one world, in memory. */
export const memoryPorts = (world: World): Ports => {
  const areas = new Map(world.accounts.map(({ id, area }) => [id, area]))
  return { ...memoryRegistry(world), ...memoryStorage(({ location }) => areas.get(location) ?? 'missing') }
}
