import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Failure from '../src/Failure.js'
import * as Items from '../src/Items.js'
import { operations } from '../src/operations.js'
import type { AreaOfTokenEnv, AreaOfUserEnv, ListEnv, NodeAtEnv, SettingsOfEnv } from '../src/ports.js'
import type * as Settings from '../src/Settings.js'
import * as StoragePath from '../src/StoragePath.js'
import * as Tree from '../src/Tree.js'
import { area, path } from './support.js'

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

export const registryDown = Failure.external(new Error('the registry does not answer'))

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

/** The storage, with a change directly behind its first answer about a path: after it was read, before it is received. */
export const changing = (
  storage: NodeAtEnv & ListEnv,
  port: 'nodeAt' | 'list',
  at: string,
  change: () => void,
): NodeAtEnv & ListEnv => {
  const changes = [change]
  const after =
    <A>(isMeant: boolean, task: TE.TaskEither<Failure.OfStorage, A>): TE.TaskEither<Failure.OfStorage, A> =>
    async () => {
      const answer = await task()
      if (isMeant) changes.pop()?.()
      return answer
    }
  return {
    nodeAt: (of, on) => after(port === 'nodeAt' && on === path(at), storage.nodeAt(of, on)),
    list: (of, on, options) => after(port === 'list' && on === path(at), storage.list(of, on, options)),
  }
}

const token = `cnp_${'A'.repeat(43)}`

/** The four operations on areas, read into memory. */
export const collecting = {
  storageTree:
    (raw: string, bounds = Tree.unbounded) =>
    (ports: Ports) =>
      pipe(operations.storageTree({ token, path: raw }, bounds)(ports), TE.flatMap(Tree.collect)),
  userContentTree:
    (raw: string, bounds = Tree.unbounded) =>
    (ports: Ports) =>
      pipe(operations.userContentTree({ user: '7', path: raw }, bounds)(ports), TE.flatMap(Tree.collect)),
  storageDirItems:
    (raw: string, page = Items.unbounded) =>
    (ports: Ports) =>
      pipe(operations.storageDirItems({ token, path: raw }, page)(ports), TE.flatMap(Items.collect)),
  userContentDirItems:
    (raw: string, page = Items.unbounded) =>
    (ports: Ports) =>
      pipe(operations.userContentDirItems({ user: '7', path: raw }, page)(ports), TE.flatMap(Items.collect)),
} as const

export type Name = keyof typeof collecting

export const names = ['storageTree', 'userContentTree', 'storageDirItems', 'userContentDirItems'] as const

/** Settings over a map that counts its look-ups: of one path, and of each path that a search passes. */
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
    has: (key) => {
      lookedUp.push(key)
      return map.has(key)
    },
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
