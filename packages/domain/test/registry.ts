import * as E from 'fp-ts/lib/Either.js'
import { flow } from 'fp-ts/lib/function.js'
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

export interface Registry {
  area: typeof area
  settings: Settings.Settings
  scope: StoragePath.StoragePath
  isRevoked: boolean
  isVerified: boolean
  /** Only the settings cannot be read. */
  isFailing: boolean
}

export const registryWith = (settings: Settings.Settings): Registry => ({
  area,
  settings,
  scope: StoragePath.root,
  isRevoked: false,
  isVerified: true,
  isFailing: false,
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

export const changes: ReadonlyArray<Change> = [
  { change: 'the token is revoked', to: { isRevoked: true }, owner: Failure.invalidToken },
  { change: 'the token gets another scope', to: { scope: path('/other') }, owner: Failure.permissionDenied },
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
  { change: 'the registry fails', to: { isFailing: true }, owner: registryDown, visitor: registryDown },
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
    const { area, scope, isRevoked, isVerified } = registry
    if (isRevoked) return E.left(Failure.invalidToken)
    return isVerified ? E.right({ area, scope }) : E.left(Failure.notVerified)
  },
  areaOfUser: () => async () => {
    log('account')
    return registry.isVerified ? E.right(registry.area) : E.left(Failure.permissionDenied)
  },
  settingsOf: () => async () => {
    log('settings')
    return registry.isFailing ? E.left(registryDown) : E.right(registry.settings)
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
  const answered = async <A>(isMeant: boolean, task: () => Promise<A>): Promise<A> => {
    const answer = await task()
    if (isMeant) pending.pop()?.()
    return answer
  }
  return {
    nodeAt: (of, on) => () => answered(port === 'nodeAt' && on === path(at), storage.nodeAt(of, on)),
    list: (of, on, options) => () => answered(port === 'list' && on === path(at), storage.list(of, on, options)),
  }
}

export const token = `cnp_${'A'.repeat(43)}`

export const collecting = {
  storageTree: (path: string, by = token) =>
    flow(operations.storageTree({ token: by, path }, Tree.unbounded), TE.flatMap(Tree.collect)),
  userContentTree: (path: string, user = '7') =>
    flow(operations.userContentTree({ user, path }, Tree.unbounded), TE.flatMap(Tree.collect)),
  storageDirItems: (path: string, by = token) =>
    flow(operations.storageDirItems({ token: by, path }, Items.unbounded), TE.flatMap(Items.collect)),
  userContentDirItems: (path: string, user = '7') =>
    flow(operations.userContentDirItems({ user, path }, Items.unbounded), TE.flatMap(Items.collect)),
} as const

export type Name = keyof typeof collecting

export const ofOwner = ['storageTree', 'storageDirItems'] as const
export const ofVisitor = ['userContentTree', 'userContentDirItems'] as const
export const trees = ['storageTree', 'userContentTree'] as const
export const listings = ['storageDirItems', 'userContentDirItems'] as const
export const names = [...trees, ...listings]

export const isOfOwner = (operation: Name): boolean => operation.startsWith('storage')
