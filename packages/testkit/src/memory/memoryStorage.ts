import { type Area, type Entry, Failure, type Listing, Name, StoragePath, U64 } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { StoragePorts } from '../Ports.js'
import type { WorldAccount, WorldDirectory, WorldFile, WorldNode } from '../World.js'

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

/** The reference implementation of the storage ports: what an area holds, as plain data. */
export const memoryStorage = (contentOf: (area: Area.Area) => WorldAccount['area']): StoragePorts => ({
  nodeAt: (area, path) => TE.fromEither(pipe(find(contentOf(area), path), E.map(nodeOf))),
  list: (area, path) => TE.fromEither(pipe(find(contentOf(area), path), E.flatMap(listed))),
})
