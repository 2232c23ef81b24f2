import { type Area, Failure, Settings, type StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { askInProcess } from '../../src/backends/Backend.js'
import type { Interleaved } from '../../src/interleavings/interleavings.js'
import type { Ports } from '../../src/World.js'

type Operation = Interleaved['operation']

/** Changes the ports of one request. The domain over them is a broken operation. */
type Break = (ports: Ports) => Partial<Ports>

const over =
  (broken: Break): Operation =>
  (ports) =>
    askInProcess({ ...ports, ...broken(ports) })

/** Caches the first answer for each argument. */
const once = <Args extends ReadonlyArray<unknown>, A>(port: (...args: Args) => () => Promise<A>) => {
  const known = new Map<string, Promise<A>>()
  return (...args: Args) =>
    () => {
      const key = JSON.stringify(args, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
      const answer = known.get(key) ?? port(...args)()
      known.set(key, answer)
      return answer
    }
}

/** Asks each time; `change` computes the answer from the first one and the current one. */
const changed = <Args extends ReadonlyArray<unknown>, A>(
  port: (...args: Args) => () => Promise<A>,
  change: (first: A, answer: A) => A,
) => {
  let first: A | undefined
  return (...args: Args) =>
    async () => {
      const answer = await port(...args)()
      first ??= answer
      return change(first, answer)
    }
}

const bothRight =
  <F, A>(change: (first: A, now: A) => A) =>
  (first: E.Either<F, A>, now: E.Either<F, A>): E.Either<F, A> =>
    E.isRight(first) && E.isRight(now) ? E.right(change(first.right, now.right)) : now

/** Ports that return the registry as of the last `refresh`. */
const keptRegistry = ({ areaOfToken, areaOfUser, settingsOf }: Ports) => {
  let kept = { areaOfToken: once(areaOfToken), areaOfUser: once(areaOfUser), settingsOf: once(settingsOf) }
  const asked = new Map<string, () => Promise<unknown>>()
  const noted =
    <Args extends ReadonlyArray<unknown>, A>(name: string, ask: (...args: Args) => () => Promise<A>) =>
    (...args: Args) =>
    () => {
      asked.set(name, () => ask(...args)())
      return ask(...args)()
    }
  const ports = {
    areaOfToken: noted('areaOfToken', (token: Parameters<Ports['areaOfToken']>[0]) => () => kept.areaOfToken(token)()),
    areaOfUser: noted('areaOfUser', (user: Parameters<Ports['areaOfUser']>[0]) => () => kept.areaOfUser(user)()),
    settingsOf: noted('settingsOf', (user: Parameters<Ports['settingsOf']>[0]) => () => kept.settingsOf(user)()),
  }
  const refresh = async (): Promise<void> => {
    kept = { areaOfToken: once(areaOfToken), areaOfUser: once(areaOfUser), settingsOf: once(settingsOf) }
    await Promise.all([...asked.values()].map((ask) => ask()))
  }
  return { ports, refresh }
}

type Refresh = () => Promise<void>

/** Reads the registry only where `ask` refreshes it, around a call of the storage. */
const readingWhen = (
  ask: <A>(storage: () => Promise<A>, refresh: Refresh, isNextPage: boolean) => Promise<A>,
): Operation =>
  over((ports) => {
    const { ports: kept, refresh } = keptRegistry(ports)
    return {
      ...kept,
      nodeAt:
        (...args) =>
        () =>
          ask(ports.nodeAt(...args), refresh, false),
      list: (area, path, options) => () => ask(ports.list(area, path, options), refresh, options?.after !== undefined),
    }
  })

/** Freezes the setting of one path at the first reading. */
const keepingSettingOf = (path: string): Operation =>
  over(({ settingsOf }) => ({
    settingsOf: changed(
      settingsOf,
      bothRight((first, now) => {
        const own = Settings.ownAt(first, path as StoragePath.StoragePath)
        const others = [...Settings.entries(now)].filter(([other]) => other !== path)
        return Settings.fromEntries(
          own._tag === 'None' ? others : [...others, [path as StoragePath.StoragePath, own.value]],
        )
      }),
    ),
  }))

/** Lists directories in another way as soon as the settings have changed. */
const afterSettingsChange = (
  list: (list: ReturnType<Ports['list']>, path: string) => ReturnType<Ports['list']>,
): Operation =>
  over((ports) => {
    let [first, hasChanged] = [undefined as Settings.Settings | undefined, false]
    return {
      settingsOf: (owner) => async () => {
        const answer = await ports.settingsOf(owner)()
        if (E.isRight(answer)) {
          first ??= answer.right
          hasChanged ||= answer.right !== first
        }
        return answer
      },
      list: (area, path, options) => () => {
        const listed = ports.list(area, path, options)
        return (hasChanged ? list(listed, path) : listed)()
      },
    }
  })

/** Follows a moved account in the middle of a request, and repeats the call in the new area. */
const mixingAreas = over((ports) => {
  let [first, latest] = [undefined as Area.Area | undefined, undefined as Area.Area | undefined]
  let readAgain: () => Promise<unknown> = async () => undefined
  const follow = (area: Area.Area): Area.Area => {
    latest = area
    first ??= area
    return first
  }
  const inLatest = async <A>(area: Area.Area, ask: (area: Area.Area) => () => Promise<A>): Promise<A> => {
    const asked = latest ?? area
    const answer = await ask(asked)()
    await readAgain()
    return latest?.location === asked.location ? answer : inLatest(area, ask)
  }
  return {
    areaOfToken: (token) => {
      readAgain = TE.map((grant: Area.Grant) => follow(grant.area))(ports.areaOfToken(token))
      return TE.map((grant: Area.Grant) => ({ ...grant, area: follow(grant.area) }))(ports.areaOfToken(token))
    },
    areaOfUser: (user) => {
      readAgain = TE.map(follow)(ports.areaOfUser(user))
      return TE.map(follow)(ports.areaOfUser(user))
    },
    nodeAt: (area, path) => () => inLatest(area, (asked) => ports.nodeAt(asked, path)),
    list: (area, path, options) => () => inLatest(area, (asked) => ports.list(asked, path, options)),
  }
})

/** Operations that each break one rule, with the name of the law that detects it. */
export const brokenOperations: ReadonlyArray<readonly [broken: string, law: string, Operation]> = [
  [
    'reads the registry once, before the storage',
    'a public directory becomes private, and is filled',
    over(({ areaOfToken, areaOfUser, settingsOf }) => ({
      areaOfToken: once(areaOfToken),
      areaOfUser: once(areaOfUser),
      settingsOf: once(settingsOf),
    })),
  ],
  [
    'reads the registry before each call of the storage, never after it',
    'a public directory becomes private, and is filled',
    readingWhen(async (storage, refresh) => {
      await refresh()
      return storage()
    }),
  ],
  [
    'reads the registry while the storage answers',
    'a public directory becomes private, and is filled',
    readingWhen(async (storage, refresh) => (await Promise.all([storage(), refresh()]))[0]),
  ],
  [
    'does not read the registry after a next page',
    'an account is unverified',
    readingWhen(async (storage, refresh, isNextPage) => {
      const answer = await storage()
      if (!isNextPage) await refresh()
      return answer
    }),
  ],
  [
    'does not read the registry after a failure of the storage',
    'an account is unverified',
    readingWhen(async (storage, refresh) => {
      const answer = await storage()
      if (!(typeof answer === 'object' && answer !== null && '_tag' in answer && answer._tag === 'Left'))
        await refresh()
      return answer
    }),
  ],
  [
    'does not check the requested path again',
    'a public directory becomes private, and is filled',
    keepingSettingOf('/d'),
  ],
  ['does not check entries again', 'nodes become hidden', keepingSettingOf('/h/b')],
  [
    'does not read the rules again',
    'a rule is added and removed',
    over(({ settingsOf }) => ({
      settingsOf: changed(
        settingsOf,
        bothRight((first, now) => Settings.withRules(Settings.rules(first))(now)),
      ),
    })),
  ],
  [
    'does not read the grant again',
    'a token with a scope is revoked',
    over(({ areaOfToken }) => ({ areaOfToken: once(areaOfToken) })),
  ],
  [
    'does not read the account again',
    'an account is unverified',
    over(({ areaOfUser }) => ({ areaOfUser: once(areaOfUser) })),
  ],
  [
    'stays in the first area',
    'an area is moved',
    over(({ areaOfToken, areaOfUser }) => ({
      areaOfToken: changed(
        areaOfToken,
        bothRight((first) => first),
      ),
      areaOfUser: changed(
        areaOfUser,
        bothRight((first) => first),
      ),
    })),
  ],
  ['continues in another area', 'an area is moved', mixingAreas],
  [
    'keeps a page that is older than a change of the settings',
    'a removed secret becomes public',
    over(({ list }) => {
      const cached = once((area: Area.Area, path: StoragePath.StoragePath, after?: string) =>
        list(area, path, { after }),
      )
      return { list: (area, path, options) => cached(area, path, options?.after) }
    }),
  ],
  ['is always external', 'an account is unverified', () => async () => ({ error: 'external' })],
  [
    'denies permission where the token is invalid',
    'a token with a scope is revoked',
    (ports) => async (ask) => {
      const answer = await askInProcess(ports)(ask)
      return 'error' in answer && answer.error === 'invalid token' ? { error: 'permission denied' } : answer
    },
  ],
  [
    'omits all entries after a change of the settings',
    'nodes become hidden',
    afterSettingsChange(TE.map((listing) => ({ ...listing, entries: [] }))),
  ],
  [
    'does not expand directories after a change of the settings',
    'nodes become hidden',
    afterSettingsChange((list, path) => (path === '/h' ? list : TE.left(Failure.external('busy')))),
  ],
]
