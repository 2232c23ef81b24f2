import { type Area, Failure, Settings, type StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
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

/** Caches the first answer for each argument; `refresh` asks again for all of them. */
const once = <Args extends ReadonlyArray<unknown>, A>(port: (...args: Args) => () => Promise<A>) => {
  const tasks = new Map<string, () => Promise<A>>()
  const answers = new Map<string, Promise<A>>()
  const ask = (key: string, task: () => Promise<A>) => {
    const answer = task()
    tasks.set(key, task)
    answers.set(key, answer)
    return answer
  }
  const cached =
    (...args: Args) =>
    () => {
      const key = JSON.stringify(args, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
      return answers.get(key) ?? ask(key, port(...args))
    }
  return Object.assign(cached, { refresh: () => Promise.all([...tasks].map(([key, task]) => ask(key, task))) })
}

/** Ports that return the registry as of the last `refresh`. */
const cachedRegistry = ({ areaOfToken, areaOfUser, settingsOf }: Ports) => {
  const ports = { areaOfToken: once(areaOfToken), areaOfUser: once(areaOfUser), settingsOf: once(settingsOf) }
  const refresh: Refresh = () => Promise.all(Object.values(ports).map((port) => port.refresh()))
  return { ports, refresh }
}

type Refresh = () => Promise<unknown>

/** Computes the settings from those of the first reading and the current ones. */
const withSettings = (change: (first: Settings.Settings, now: Settings.Settings) => Settings.Settings): Operation =>
  over(({ settingsOf }) => {
    let first: Settings.Settings | undefined
    const changed = (now: Settings.Settings) => {
      first ??= now
      return change(first, now)
    }
    return { settingsOf: (owner) => TE.map(changed)(settingsOf(owner)) }
  })

/** Reads the registry only where `ask` refreshes it, around a call of the storage. */
const readingWhen = (
  ask: <A extends E.Either<unknown, unknown>>(
    storage: () => Promise<A>,
    refresh: Refresh,
    isNextPage: boolean,
  ) => Promise<A>,
): Operation =>
  over((ports) => {
    const { ports: cached, refresh } = cachedRegistry(ports)
    return {
      ...cached,
      nodeAt:
        (...args) =>
        () =>
          ask(ports.nodeAt(...args), refresh, false),
      list: (area, path, options) => () => ask(ports.list(area, path, options), refresh, options?.after !== undefined),
    }
  })

/** Freezes the setting of one path at the first reading. */
const keepingSettingOf = (text: string): Operation => {
  const path = text as StoragePath.StoragePath
  return withSettings((first, now) => {
    const own = Settings.ownAt(first, path)
    const others = [...Settings.entries(now)].filter(([other]) => other !== path)
    return Settings.fromEntries(own._tag === 'None' ? others : [...others, [path, own.value]])
  })
}

/** Lists directories in another way as soon as the settings have changed. */
const afterSettingsChange = (
  list: (list: ReturnType<Ports['list']>, path: string) => ReturnType<Ports['list']>,
): Operation =>
  over((ports) => {
    const seen = new Set<unknown>()
    const noted = TE.map((now: Settings.Settings) => {
      seen.add(now)
      return now
    })
    return {
      settingsOf: (owner) => noted(ports.settingsOf(owner)),
      list: (area, path, options) => () => {
        const listed = ports.list(area, path, options)
        return (seen.size > 1 ? list(listed, path) : listed)()
      },
    }
  })

const mixingAreas = over((ports) => {
  const areas: Array<Area.Area> = []
  const follow = (area: Area.Area): Area.Area => {
    areas.push(area)
    return areas[0] ?? area
  }
  return {
    areaOfToken: (token) =>
      TE.map((grant: Area.Grant) => ({ ...grant, area: follow(grant.area) }))(ports.areaOfToken(token)),
    areaOfUser: (user) => TE.map(follow)(ports.areaOfUser(user)),
    nodeAt: (area, path) => ports.nodeAt(areas.at(-1) ?? area, path),
    list: (area, path, options) => ports.list(areas.at(-1) ?? area, path, options),
  }
})

/** Operations that each break one rule, with the name of the law that detects it. */
export const brokenOperations: ReadonlyArray<readonly [broken: string, law: string, Operation]> = [
  [
    'reads the registry once, before the storage',
    'a public directory becomes private, and is filled',
    over((ports) => cachedRegistry(ports).ports),
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
      if (E.isRight(answer)) await refresh()
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
    withSettings((first, now) => {
      const withoutRules = Settings.fromEntries(Settings.entries(now))
      return O.getOrElse(() => now)(Settings.addRules(withoutRules, Settings.rules(first)))
    }),
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
    over(({ areaOfToken, areaOfUser }) => ({ areaOfToken: once(areaOfToken), areaOfUser: once(areaOfUser) })),
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
