import { Area, type Entry, Failure, type Listing, type Name, StoragePath, U64, type UserId } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PlantedStorage, PlantStorage, StoragePorts } from '../../src/laws/Subject.js'
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

const tinyPorts = (nodes: WorldAccount['area']): StoragePorts => {
  const found = (path: StoragePath.StoragePath) =>
    nodes === 'missing'
      ? E.left(Failure.external(new Error('missing root')))
      : find({ type: 'dir', name: '', last_modified: 5n, content: nodes }, StoragePath.segments(path))
  return {
    nodeAt: (_, path) => TE.fromIOEither(() => E.map(nodeOf)(found(path))),
    list: (_, path) =>
      TE.fromIOEither(() =>
        E.flatMap((node: Real) => (node.type === 'file' ? E.left(Failure.typeMismatch) : E.right(listingOf(node))))(
          found(path),
        ),
      ),
  }
}

export type Break = (ports: StoragePorts) => StoragePorts

/** A storage of plain nodes that fulfils every law, unless it is broken. */
export const plantTiny =
  (broken: Break = (ports) => ports): PlantStorage =>
  async (nodes): Promise<PlantedStorage> => ({
    ports: broken(tinyPorts(nodes)),
    area: { owner: 1n as UserId.UserId, location: Area.location('tiny') },
    close: async () => undefined,
  })
