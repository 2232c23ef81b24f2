import { Area, type Entry, Failure, type Listing, type Name, StoragePath, U64, type UserId } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { SeededStorage, SeedStorage, StoragePorts } from '../../src/Ports.js'
import type { WorldAccount, WorldDirectory, WorldFile, WorldNode } from '../../src/World.js'

type Real = WorldFile | WorldDirectory
type Failures = Failure.FileNotFound | Failure.TypeMismatch | Failure.External

const isReal = (node: WorldNode): node is Real => node.type === 'file' || node.type === 'dir'

const find = (from: Real, [name, ...rest]: ReadonlyArray<string>): E.Either<Failures, Real> => {
  if (name === undefined) return E.right(from)
  if (from.type === 'file') return E.left(Failure.typeMismatch)
  const next = from.content.filter(isReal).find((node) => node.name === name)
  return next === undefined ? E.left(Failure.fileNotFound) : find(next, rest)
}

const nodeOf = (node: Real): Entry.Node => {
  const last_modified = U64.clamp(node.last_modified)
  return node.type === 'file'
    ? { type: 'file', size: U64.clamp(node.size), last_modified }
    : { type: 'dir', last_modified }
}

const listingOf = (directory: WorldDirectory): Listing.Listing => ({
  entries: directory.content
    .filter(isReal)
    .map((node) => ({ ...nodeOf(node), name: node.name as Name.Name }))
    .sort((x, y) => Buffer.compare(Buffer.from(x.name), Buffer.from(y.name))),
  unlistable: directory.content.filter(({ type }) => type === 'undecodable').length,
})

const tinyPorts = (nodesIn: (area: Area.Area) => WorldAccount['area']): StoragePorts => {
  const found = (area: Area.Area, path: StoragePath.StoragePath) => {
    const nodes = nodesIn(area)
    return nodes === 'missing'
      ? E.left(Failure.external(new Error('missing root')))
      : find({ type: 'dir', name: '', last_modified: 5n, content: nodes }, StoragePath.segments(path))
  }
  return {
    nodeAt: (area, path) => TE.fromIOEither(() => E.map(nodeOf)(found(area, path))),
    list: (area, path) =>
      TE.fromIOEither(() =>
        E.flatMap((node: Real) => (node.type === 'file' ? E.left(Failure.typeMismatch) : E.right(listingOf(node))))(
          found(area, path),
        ),
      ),
  }
}

export type Break = (ports: StoragePorts) => StoragePorts

/** A storage of plain nodes that fulfils every law, unless it is broken. */
export const seedTiny =
  (broken: Break = (ports) => ports): SeedStorage =>
  async (nodes, otherNodes): Promise<SeededStorage> => ({
    ports: broken(tinyPorts(({ location }) => (location === 'tiny' ? nodes : otherNodes))),
    area: { owner: 1n as UserId.UserId, location: Area.location('tiny') },
    other: { owner: 2n as UserId.UserId, location: Area.location('other') },
    close: async () => undefined,
  })
