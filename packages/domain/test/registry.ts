import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Area from '../src/Area.js'
import * as Failure from '../src/Failure.js'
import * as Items from '../src/Items.js'
import { operations } from '../src/operations.js'
import type { AreaOfTokenEnv, AreaOfUserEnv, ListEnv, NodeAtEnv, SettingsOfEnv } from '../src/ports.js'
import type * as Settings from '../src/Settings.js'
import * as StoragePath from '../src/StoragePath.js'
import * as Tree from '../src/Tree.js'
import { area, path, set } from './support.js'

/** A registry of one account that a test changes. */
export interface Registry {
  area: typeof area
  settings: Settings.Settings
  isRevoked: boolean
  isVerified: boolean
  isDown: boolean
}

export const registryWith = (settings: Settings.Settings): Registry => ({
  area,
  settings,
  isRevoked: false,
  isVerified: true,
  isDown: false,
})

const registryDown = Failure.external(new Error('the registry does not answer'))
const moved = Failure.external(new Error('the area of the account was moved while it was being read: retry'))

interface Change {
  readonly change: string
  readonly to: Partial<Registry>
  /** The failure of a new request; absent if the client is still allowed. */
  readonly owner?: Failure.Failure
  readonly visitor?: Failure.Failure
}

/** Changes of access to `/r`. */
export const changes: ReadonlyArray<Change> = [
  { change: 'the token is revoked', to: { isRevoked: true }, owner: Failure.invalidToken },
  {
    change: 'the account is unverified',
    to: { isVerified: false },
    owner: Failure.notVerified,
    visitor: Failure.permissionDenied,
  },
  {
    change: 'the requested path is made private',
    to: { settings: set({ '/': 'public', '/r': 'private' }) },
    visitor: Failure.permissionDenied,
  },
  {
    change: 'the area is moved',
    to: { area: { ...area, location: Area.location('elsewhere') } },
    owner: moved,
    visitor: moved,
  },
  { change: 'the registry fails', to: { isDown: true }, owner: registryDown, visitor: registryDown },
]

export type Ports = AreaOfTokenEnv & AreaOfUserEnv & SettingsOfEnv & NodeAtEnv & ListEnv

/** The ports of all operations on areas; `log` receives the name of each call that begins. */
export const portsOf = (
  registry: Registry,
  { nodeAt, list }: NodeAtEnv & ListEnv,
  log: (call: string) => void = () => undefined,
): Ports => ({
  areaOfToken: () => async () => {
    log('token')
    if (registry.isDown) return E.left(registryDown)
    if (registry.isRevoked) return E.left(Failure.invalidToken)
    return registry.isVerified ? E.right({ area: registry.area, scope: StoragePath.root }) : E.left(Failure.notVerified)
  },
  areaOfUser: () => async () => {
    log('account')
    if (registry.isDown) return E.left(registryDown)
    return registry.isVerified ? E.right(registry.area) : E.left(Failure.permissionDenied)
  },
  settingsOf: () => async () => {
    log('settings')
    return registry.isDown ? E.left(registryDown) : E.right(registry.settings)
  },
  nodeAt: (of, at) => () => {
    log(`nodeAt ${at}`)
    return nodeAt(of, at)()
  },
  list: (of, at, options) => () => {
    log(`list ${at}`)
    return list(of, at, options)()
  },
})

/** The storage, with a change between its first answer about a path and the receipt of that answer. */
export const changing = (
  storage: NodeAtEnv & ListEnv,
  port: 'nodeAt' | 'list',
  at: string,
  change: () => void,
): NodeAtEnv & ListEnv => {
  const pending = [change]
  const then =
    <A>(isMeant: boolean, task: TE.TaskEither<Failure.OfStorage, A>): TE.TaskEither<Failure.OfStorage, A> =>
    async () => {
      const answer = await task()
      if (isMeant) pending.pop()?.()
      return answer
    }
  return {
    nodeAt: (of, on) => then(port === 'nodeAt' && on === path(at), storage.nodeAt(of, on)),
    list: (of, on, options) => then(port === 'list' && on === path(at), storage.list(of, on, options)),
  }
}

export const token = `cnp_${'A'.repeat(43)}`

/** The four operations on areas, read into memory. */
export const collecting = {
  storageTree: (raw: string) => (ports: Ports) =>
    pipe(operations.storageTree({ token, path: raw }, Tree.unbounded)(ports), TE.flatMap(Tree.collect)),
  userContentTree: (raw: string) => (ports: Ports) =>
    pipe(operations.userContentTree({ user: '7', path: raw }, Tree.unbounded)(ports), TE.flatMap(Tree.collect)),
  storageDirItems: (raw: string) => (ports: Ports) =>
    pipe(operations.storageDirItems({ token, path: raw }, Items.unbounded)(ports), TE.flatMap(Items.collect)),
  userContentDirItems: (raw: string) => (ports: Ports) =>
    pipe(operations.userContentDirItems({ user: '7', path: raw }, Items.unbounded)(ports), TE.flatMap(Items.collect)),
} as const

export type Name = keyof typeof collecting

export const names = ['storageTree', 'userContentTree', 'storageDirItems', 'userContentDirItems'] as const

export const isOfOwner = (operation: Name): boolean => operation === 'storageTree' || operation === 'storageDirItems'

/** Wraps a map and counts its look-ups: of one path, and of each path that a search passes. */
export const counted = (map: ReadonlyMap<StoragePath.StoragePath, Settings.Step['visibility']['visibility']>) => {
  const lookedUp: Array<string> = []
  function* passing<A>(all: Iterable<A>): Generator<A, undefined> {
    for (const each of all) {
      lookedUp.push('searched')
      yield each
    }
    return undefined
  }
  const counting: typeof map = {
    size: map.size,
    get: (key) => {
      lookedUp.push(key)
      return map.get(key)
    },
    has: (key) => counting.get(key) !== undefined,
    forEach: (each) => {
      for (const [key, value] of passing(map)) each(value, key, map)
    },
    entries: () => passing(map.entries()),
    keys: () => passing(map.keys()),
    values: () => passing(map.values()),
    [Symbol.iterator]: () => passing(map),
  }
  return { lookedUp, map: counting }
}
