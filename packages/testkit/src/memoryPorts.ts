import { isDeepStrictEqual } from 'node:util'
import {
  Area,
  type Entry,
  Failure,
  Listing,
  type ListOptions,
  Name,
  Settings,
  StoragePath,
  TriggerValue,
  U64,
  UserId,
} from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { openedFile } from './openedFile.js'
import {
  type FilePorts,
  type Ports,
  type RegistryPorts,
  type StoragePorts,
  settingsOf,
  type World,
  type WorldAccount,
  type WorldDirectory,
  type WorldFile,
  type WorldNode,
} from './World.js'

interface MemoryStorageOptions {
  /** Entries per page. By default a directory is one page. */
  readonly pageEntries?: number | undefined
}

/** Creates all ports over one world, in memory. */
export const memoryPorts = (world: World, options: MemoryStorageOptions = {}): Ports & FilePorts => {
  const areas = new Map(world.accounts.map((account) => [locationOf(account), account.area]))
  return { ...memoryRegistry(world), ...memoryStorage(({ location }) => areas.get(location) ?? 'missing', options) }
}

/** Memory ports over a world that may change between two calls. A moved area keeps its content at the old location. */
export const mutableMemory =
  (options: MemoryStorageOptions = {}) =>
  (current: () => World): Ports & FilePorts => {
    const areas = new Map<Area.AreaLocation, WorldAccount['area']>()
    let world: World = { accounts: [], triggers: [] }
    let registry = memoryRegistry(world)
    const read = () => {
      const next = current()
      if (next === world) return { areas, registry }
      for (const account of next.accounts) areas.set(locationOf(account), account.area)
      // Equal rows return the same values, as in a registry that caches them.
      if (!isDeepStrictEqual(rowsOf(next), rowsOf(world))) registry = memoryRegistry(next)
      world = next
      return { areas, registry }
    }
    return {
      ...memoryStorage(({ location }) => read().areas.get(location) ?? 'missing', options),
      areaOfToken: (token) => () => read().registry.areaOfToken(token)(),
      areaOfUser: (user) => () => read().registry.areaOfUser(user)(),
      settingsOf: (owner) => () => read().registry.settingsOf(owner)(),
      triggerOf: (id) => () => read().registry.triggerOf(id)(),
    }
  }

const rowsOf = ({ accounts, triggers }: World) => [accounts.map((account) => ({ ...account, area: [] })), triggers]

/** Creates the reference implementation of the storage ports. `contentOf` is called when a task runs. */
export const memoryStorage = (
  contentOf: (area: Area.Area) => WorldAccount['area'],
  { pageEntries }: MemoryStorageOptions = {},
): StoragePorts & FilePorts => ({
  nodeAt: (area, path) => async () => pipe(find(contentOf(area), path), E.map(nodeOf)),
  openFile: (area, path) => async () =>
    pipe(
      find(contentOf(area), path),
      E.flatMap((known) => (known.type === 'file' ? E.right(openedFile(known)) : E.left(Failure.typeMismatch))),
    ),
  list:
    (area, path, options = {}) =>
    async () => {
      const listing = pipe(find(contentOf(area), path), E.flatMap(listed))
      return pageEntries === undefined ? listing : pipe(listing, E.map(pageOf(pageEntries, options)))
    },
})

/** Creates the reference implementation of the registry ports. */
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

type FindableNode = WorldFile | WorldDirectory
type Result<A> = E.Either<Failure.OfStorage, A>

const denied = Failure.external(Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' }))
const notConnected = Object.assign(new Error('ENOTCONN: the mount is disconnected'), { code: 'ENOTCONN' })

const isFindable = (node: WorldNode): node is FindableNode => node.type === 'file' || node.type === 'dir'

const nodeOf = (node: FindableNode): Entry.Node => {
  const last_modified = U64.clamp(node.last_modified)
  return node.type === 'file'
    ? { type: 'file', size: U64.clamp(node.size), last_modified }
    : { type: 'dir', last_modified }
}

const childOf =
  (name: Name.Name) =>
  (parent: FindableNode): Result<FindableNode> => {
    if (parent.type === 'file') return E.left(Failure.typeMismatch)
    if (parent.locked === true) return E.left(denied)
    const child = parent.content.find((each) => each.name === name)
    if (child?.type === 'dead') return E.left(Failure.external(notConnected))
    return child !== undefined && isFindable(child) ? E.right(child) : E.left(Failure.fileNotFound)
  }

const find = (area: WorldAccount['area'], path: StoragePath.StoragePath): Result<FindableNode> => {
  if (area === 'missing') return E.left(Failure.external('the root of the area is missing'))
  const root: Result<FindableNode> = E.right({ type: 'dir', name: '', last_modified: 0n, content: area })
  return pipe(
    StoragePath.segments(path),
    RA.reduce(root, (found, name) => pipe(found, E.flatMap(childOf(name)))),
  )
}

const listingOf = (content: ReadonlyArray<WorldNode>): Listing.Listing => {
  const dead = content.filter(({ type }) => type === 'dead').map(({ name }) => name as Name.Name)
  return {
    entries: content
      .filter(isFindable)
      .map((node): Entry.Entry => ({ ...nodeOf(node), name: node.name as Name.Name }))
      .sort((x, y) => Name.byBytes.compare(x.name, y.name)),
    unlistable: content.filter(({ type }) => type === 'undecodable').length,
    ...(dead.length === 0 ? {} : { unknown: { names: dead, cause: notConnected } }),
  }
}

const listed = (node: FindableNode): Result<Listing.Listing> => {
  if (node.type === 'file') return E.left(Failure.typeMismatch)
  return node.locked === true ? E.left(denied) : E.right(listingOf(node.content))
}

/** Returns the page that follows `after`: `pageEntries` entries, or `minEntries` if that is more. */
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

const locationOf = ({ id, location = id }: WorldAccount): Area.AreaLocation => Area.location(location)

const areaOf = (account: WorldAccount): Area.Area => ({
  owner: BigInt(account.id) as UserId.UserId,
  location: locationOf(account),
})
