import {
  Area,
  type AreaOfTokenEnv,
  type AreaOfUserEnv,
  type Entry,
  Failure,
  type ListEnv,
  Listing,
  type ListOptions,
  Name,
  type NodeAtEnv,
  Settings,
  type SettingsOfEnv,
  StoragePath,
  type TriggerOfEnv,
  TriggerValue,
  U64,
  UserId,
  type Visibility,
} from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

/** The state behind every answer, as plain data. A backend seeds it before the first request. */
export interface World {
  readonly accounts: ReadonlyArray<WorldAccount>
  readonly triggers: ReadonlyArray<WorldTrigger>
}

export interface WorldAccount {
  /** Canonical decimal. */
  readonly id: string
  readonly verified: boolean
  readonly tokens: ReadonlyArray<WorldToken>
  readonly settings: ReadonlyArray<WorldSetting>
  /** The content of the root directory; `missing` for an area without a root, as after a lost mount. */
  readonly area: ReadonlyArray<WorldNode> | 'missing'
  /** The location of the area in memory ports; the id by default. */
  readonly location?: string
}

export interface WorldToken {
  readonly token: string
  /** As a storage path: `/` for the whole area. */
  readonly scope: string
  readonly state: 'valid' | 'expired' | 'revoked'
}

export interface WorldSetting {
  readonly path: string
  readonly visibility: Visibility.Visibility
}

export interface WorldTrigger {
  readonly id: string
  /** The whole value as JSON text. */
  readonly value: string
  readonly state: 'valid' | 'expired' | 'deleted'
}

export type WorldNode = WorldFile | WorldDirectory | WorldOther

export interface WorldFile {
  readonly type: 'file'
  readonly name: string
  readonly size: bigint
  readonly last_modified: bigint
}

export interface WorldDirectory {
  readonly type: 'dir'
  readonly name: string
  readonly last_modified: bigint
  readonly content: ReadonlyArray<WorldNode>
  /** Permissions (chmod 000) stop everyone from listing the directory and from reading a node in it. */
  readonly locked?: true
}

/**
 * A node that Canopy treats as neither file nor directory. A storage that cannot have it seeds nothing. A `dead` entry exists
 * but cannot be read, like a mount without its server.
 */
export interface WorldOther {
  readonly type: 'link' | 'fifo' | 'undecodable' | 'dead'
  /** For an `undecodable` entry, the part before its invalid bytes. */
  readonly name: string
  /** The target of a link. */
  readonly target?: string
}

/** `size` in bytes, `last_modified` in seconds since 1970. */
export const file = (name: string, size: bigint | number = 1n, last_modified: bigint | number = 1n): WorldFile => ({
  type: 'file',
  name,
  size: BigInt(size),
  last_modified: BigInt(last_modified),
})

/** Last modified at second 1. */
export const dir = (name: string, ...content: ReadonlyArray<WorldNode>): WorldDirectory => ({
  type: 'dir',
  name,
  last_modified: 1n,
  content,
})

/** The settings of an account as a value of the domain. */
export const settingsOf = ({ settings }: WorldAccount): Settings.Settings =>
  Settings.fromEntries(settings.map(({ path, visibility }) => [path as StoragePath.StoragePath, visibility]))

/** The ports of a storage adapter. */
export type StoragePorts = NodeAtEnv & ListEnv
/** The ports of a registry adapter. */
export type RegistryPorts = AreaOfTokenEnv & AreaOfUserEnv & SettingsOfEnv & TriggerOfEnv
/** All six ports of the service. */
export type Ports = StoragePorts & RegistryPorts

/** Ports over a world that was seeded for one test. */
export interface Seeded<P> {
  readonly ports: P
  /** Removes the world. Called once, even after a port has thrown. */
  readonly close: () => Promise<void>
}

/** Two areas that were seeded for one test. */
export interface SeededStorage extends Seeded<StoragePorts> {
  /** The area with the first nodes. */
  readonly area: Area.Area
  /** The area with the other nodes, in the same storage. */
  readonly other: Area.Area
}

/** Creates two areas with exactly these nodes. */
export type SeedStorage = (nodes: WorldAccount['area'], otherNodes: WorldAccount['area']) => Promise<SeededStorage>

/** Creates a registry with exactly this world. It ignores the nodes of areas. */
export type SeedRegistry = (world: World) => Promise<Seeded<RegistryPorts>>

type Known = WorldFile | WorldDirectory
type Result<A> = E.Either<Failure.OfStorage, A>

const denied = Failure.external(Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' }))
const notConnected = Object.assign(new Error('ENOTCONN: the mount is dead'), { code: 'ENOTCONN' })

const exists = (node: WorldNode): node is Known => node.type === 'file' || node.type === 'dir'

const nodeOf = (known: Known): Entry.Node => {
  const last_modified = U64.clamp(known.last_modified)
  return known.type === 'file'
    ? { type: 'file', size: U64.clamp(known.size), last_modified }
    : { type: 'dir', last_modified }
}

const childOf =
  (name: Name.Name) =>
  (parent: Known): Result<Known> => {
    if (parent.type === 'file') return E.left(Failure.typeMismatch)
    if (parent.locked === true) return E.left(denied)
    const child = parent.content.find((each) => each.name === name)
    if (child?.type === 'dead') return E.left(Failure.external(notConnected))
    return child !== undefined && exists(child) ? E.right(child) : E.left(Failure.fileNotFound)
  }

const find = (area: WorldAccount['area'], path: StoragePath.StoragePath): Result<Known> => {
  if (area === 'missing') return E.left(Failure.external('the root of the area is missing'))
  const root: Result<Known> = E.right({ type: 'dir', name: '', last_modified: 0n, content: area })
  return pipe(
    StoragePath.segments(path),
    RA.reduce(root, (found, name) => pipe(found, E.flatMap(childOf(name)))),
  )
}

const listingOf = (content: ReadonlyArray<WorldNode>): Listing.Listing => {
  const dead = content.filter(({ type }) => type === 'dead').map(({ name }) => name as Name.Name)
  return {
    entries: content
      .filter(exists)
      .map((known): Entry.Entry => ({ ...nodeOf(known), name: known.name as Name.Name }))
      .sort((x, y) => Name.byBytes.compare(x.name, y.name)),
    unlistable: content.filter(({ type }) => type === 'undecodable').length,
    ...(dead.length === 0 ? {} : { unknown: { names: dead, cause: notConnected } }),
  }
}

const listed = (known: Known): Result<Listing.Listing> => {
  if (known.type === 'file') return E.left(Failure.typeMismatch)
  return known.locked === true ? E.left(denied) : E.right(listingOf(known.content))
}

/** The page behind `after`: `pageEntries` entries, or `minEntries` if that is more. */
const pageOf =
  (pageEntries: number, { after, minEntries = 1 }: ListOptions) =>
  ({ entries, unlistable, unknown }: Listing.Listing): Listing.Listing => {
    const start = after === undefined ? 0 : Listing.indexAfter(entries, after)
    const end = start + Math.max(pageEntries, minEntries)
    const next = end < entries.length ? entries.at(end - 1)?.name : undefined
    const isOnPage = (name: string): boolean =>
      (after === undefined || Name.byBytes.compare(name, after) > 0) &&
      (next === undefined || Name.byBytes.compare(name, next) <= 0)
    const names = unknown?.names.filter(isOnPage) ?? []
    return {
      entries: [...entries].slice(start, end),
      unlistable: after === undefined ? unlistable : 0,
      unknown: unknown && names.length > 0 ? { names, cause: unknown.cause } : undefined,
      next,
    }
  }

interface MemoryStorageOptions {
  /** Entries per page. By default a directory is one page. */
  readonly pageEntries?: number | undefined
}

/** The reference implementation of the storage ports. `contentOf` is called when a task runs. */
export const memoryStorage = (
  contentOf: (area: Area.Area) => WorldAccount['area'],
  { pageEntries }: MemoryStorageOptions = {},
): StoragePorts => ({
  nodeAt: (area, path) => async () => pipe(find(contentOf(area), path), E.map(nodeOf)),
  list:
    (area, path, options = {}) =>
    async () => {
      const listing = pipe(find(contentOf(area), path), E.flatMap(listed))
      return pageEntries === undefined ? listing : pipe(listing, E.map(pageOf(pageEntries, options)))
    },
})

export const locationOf = ({ id, location = id }: WorldAccount): Area.AreaLocation => Area.location(location)

const areaOf = (account: WorldAccount): Area.Area => ({
  owner: BigInt(account.id) as UserId.UserId,
  location: locationOf(account),
})

/** The reference implementation of the registry ports. */
export const memoryRegistry = ({ accounts, triggers }: World): RegistryPorts => {
  const settings = new Map(accounts.map((account) => [account, settingsOf(account)]))
  const accountOf = (user: UserId.UserId) => accounts.find(({ id }) => id === UserId.toDecimal(user))
  return {
    areaOfToken: (requested) => {
      const account = accounts.find(({ tokens }) =>
        tokens.some(({ token, state }) => token === requested && state === 'valid'),
      )
      const token = account?.tokens.find((each) => each.token === requested)
      if (account === undefined || token === undefined) return TE.left(Failure.invalidToken)
      if (!account.verified) return TE.left(Failure.notVerified)
      return TE.right({ area: areaOf(account), scope: token.scope as StoragePath.StoragePath })
    },
    areaOfUser: (user) => {
      const account = accountOf(user)
      return account?.verified === true ? TE.right(areaOf(account)) : TE.left(Failure.permissionDenied)
    },
    settingsOf: (owner) => {
      const account = accountOf(owner)
      return TE.right((account && settings.get(account)) ?? Settings.none)
    },
    triggerOf: (requested) => {
      const trigger = triggers.find(({ id, state }) => id === requested && state === 'valid')
      return trigger === undefined
        ? TE.left(Failure.triggerNotFound)
        : TE.fromEither(E.mapLeft(Failure.external)(TriggerValue.fromJson(trigger.value)))
    },
  }
}

/** All ports over one world, in memory. */
export const memoryPorts = (world: World, options: MemoryStorageOptions = {}): Ports => {
  const areas = new Map(world.accounts.map((account) => [locationOf(account), account.area]))
  return { ...memoryRegistry(world), ...memoryStorage(({ location }) => areas.get(location) ?? 'missing', options) }
}
