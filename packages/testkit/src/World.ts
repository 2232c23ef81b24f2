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

/** Everything an answer can depend on, as plain data: what a backend seeds before it is asked. */
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
  /** What the root directory of the area holds; `missing` when the area has no root, as after a lost mount. */
  readonly area: ReadonlyArray<WorldNode> | 'missing'
  /** Where memory ports keep the area; the id by default. */
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
  /** True when permissions stop everyone (chmod 000): it cannot be listed, and nothing in it can be looked at. */
  readonly locked?: true
}

/**
 * What exists for the file system and is neither file nor directory for Canopy. A storage without such things seeds nothing.
 * A `dead` entry is there and cannot be looked at, as a mount whose server is gone.
 */
export interface WorldOther {
  readonly type: 'link' | 'fifo' | 'undecodable' | 'dead'
  /** Of an `undecodable` entry only the part before its invalid bytes. */
  readonly name: string
  /** Where a link points. */
  readonly target?: string
}

/** A file as a test writes it down: its size in bytes, and when it was modified, in seconds since 1970. */
export const file = (name: string, size: bigint | number = 1n, last_modified: bigint | number = 1n): WorldFile => ({
  type: 'file',
  name,
  size: BigInt(size),
  last_modified: BigInt(last_modified),
})

/** A directory with what it holds, modified one second after 1970 began. */
export const dir = (name: string, ...content: ReadonlyArray<WorldNode>): WorldDirectory => ({
  type: 'dir',
  name,
  last_modified: 1n,
  content,
})

/** The settings of an account as the domain holds them. */
export const settingsOf = ({ settings }: WorldAccount): Settings.Settings =>
  Settings.fromEntries(settings.map(({ path, visibility }) => [path as StoragePath.StoragePath, visibility]))

/** What a storage adapter has. */
export type StoragePorts = NodeAtEnv & ListEnv
/** What a registry adapter has. */
export type RegistryPorts = AreaOfTokenEnv & AreaOfUserEnv & SettingsOfEnv & TriggerOfEnv
/** All six, as the whole service needs them. */
export type Ports = StoragePorts & RegistryPorts

/** Ports over something that was made for one test. */
export interface Seeded<P> {
  readonly ports: P
  /** Removes it again. Called once, also when a port has thrown. */
  readonly close: () => Promise<void>
}

/** Two areas that were made for one test. */
export interface SeededStorage extends Seeded<StoragePorts> {
  /** The one that holds what was asked for first. */
  readonly area: Area.Area
  /** Another area of the same ports. */
  readonly other: Area.Area
}

/** Makes two fresh areas: one holds exactly these nodes, the other exactly those. */
export type SeedStorage = (nodes: WorldAccount['area'], otherNodes: WorldAccount['area']) => Promise<SeededStorage>

/** Makes a fresh registry that knows exactly this world; the nodes of its areas do not matter to it. */
export type SeedRegistry = (world: World) => Promise<Seeded<RegistryPorts>>

type Known = WorldFile | WorldDirectory
type Found<A> = E.Either<Failure.OfStorage, A>

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
  (parent: Known): Found<Known> => {
    if (parent.type === 'file') return E.left(Failure.typeMismatch)
    if (parent.locked === true) return E.left(denied)
    const child = parent.content.find((each) => each.name === name)
    if (child?.type === 'dead') return E.left(Failure.external(notConnected))
    return child !== undefined && exists(child) ? E.right(child) : E.left(Failure.fileNotFound)
  }

const find = (area: WorldAccount['area'], path: StoragePath.StoragePath): Found<Known> => {
  if (area === 'missing') return E.left(Failure.external('the root of the area is missing'))
  const root: Found<Known> = E.right({ type: 'dir', name: '', last_modified: 0n, content: area })
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

const listed = (known: Known): Found<Listing.Listing> => {
  if (known.type === 'file') return E.left(Failure.typeMismatch)
  return known.locked === true ? E.left(denied) : E.right(listingOf(known.content))
}

/** The part of a listing that begins behind `after`: `pageEntries` entries, or `minEntries` if that is more. */
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
      isPaged: true,
    }
  }

interface MemoryStorageOptions {
  /** Entries per page, unless a request needs more; by default a directory is one page. */
  readonly pageEntries?: number | undefined
}

/** The reference implementation of the storage ports over plain data, read when a task runs. */
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

/** The reference implementation of the registry ports: accounts, tokens, settings and triggers as plain data. */
export const memoryRegistry = ({ accounts, triggers }: World): RegistryPorts => {
  const settings = new Map(accounts.map((account) => [account, settingsOf(account)]))
  const accountOf = (user: UserId.UserId) => accounts.find(({ id }) => id === UserId.toDecimal(user))
  return {
    areaOfToken: (asked) => {
      const account = accounts.find(({ tokens }) =>
        tokens.some(({ token, state }) => token === asked && state === 'valid'),
      )
      const token = account?.tokens.find((each) => each.token === asked)
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
    triggerOf: (asked) => {
      const trigger = triggers.find(({ id, state }) => id === asked && state === 'valid')
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
