import { type Area, type Entry, Failure, type Listing, Name, StoragePath, U64 } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { StoragePorts } from '../laws/Subject.js'
import type { WorldAccount, WorldNode } from '../World.js'

interface Place {
  readonly node: Entry.Node
  readonly content: ReadonlyArray<WorldNode>
  readonly locked: boolean
}

const denied = Failure.external(Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' }))
const notConnected = Object.assign(new Error('ENOTCONN: the mount is dead'), { code: 'ENOTCONN' })

type Found = E.Either<Failure.OfStorage, Place>

const placeOf = (node: WorldNode): O.Option<Place> => {
  switch (node.type) {
    case 'file':
      return O.some({
        node: { type: 'file', size: U64.clamp(node.size), last_modified: U64.clamp(node.last_modified) },
        content: [],
        locked: false,
      })
    case 'dir':
      return O.some({
        node: { type: 'dir', last_modified: U64.clamp(node.last_modified) },
        content: node.content,
        locked: node.locked === true,
      })
    case 'link':
    case 'fifo':
    case 'undecodable':
    case 'dead':
      return O.none
  }
}

const childOf =
  (name: Name.Name) =>
  ({ node, content, locked }: Place): Found => {
    if (node.type === 'file') return E.left(Failure.typeMismatch)
    if (locked) return E.left(denied)
    const child = content.find((each) => each.name === name)
    return child?.type === 'dead'
      ? E.left(Failure.external(notConnected))
      : pipe(
          O.fromNullable(child),
          O.flatMap(placeOf),
          E.fromOption(() => Failure.fileNotFound),
        )
  }

const find = (area: WorldAccount['area'], path: StoragePath.StoragePath): Found =>
  area === 'missing'
    ? E.left(Failure.external('the root of the area is missing'))
    : pipe(
        StoragePath.segments(path),
        RA.reduce(
          E.right({ node: { type: 'dir', last_modified: U64.zero }, content: area, locked: false }) as Found,
          (found, name) => pipe(found, E.flatMap(childOf(name))),
        ),
      )

const unknownIn = (content: ReadonlyArray<WorldNode>): Pick<Listing.Listing, 'unknown'> => {
  const names = content.filter(({ type }) => type === 'dead').map(({ name }) => name as Name.Name)
  return names.length === 0 ? {} : { unknown: { names, cause: notConnected } }
}

const listingOf = (content: ReadonlyArray<WorldNode>): Listing.Listing => ({
  entries: pipe(
    content,
    RA.filterMap((child) =>
      pipe(
        placeOf(child),
        O.map(({ node }): Entry.Entry => ({ ...node, name: child.name as Name.Name })),
      ),
    ),
    (entries) => [...entries].sort((x, y) => Name.byBytes.compare(x.name, y.name)),
  ),
  unlistable: content.filter(({ type }) => type === 'undecodable').length,
  ...unknownIn(content),
})

/** The reference implementation of the storage ports: what an area holds, as plain data. */
export const memoryStorage = (contentOf: (area: Area.Area) => WorldAccount['area']): StoragePorts => ({
  nodeAt: (area, path) =>
    TE.fromEither(
      pipe(
        find(contentOf(area), path),
        E.map(({ node }) => node),
      ),
    ),
  list: (area, path) =>
    TE.fromEither(
      pipe(
        find(contentOf(area), path),
        E.filterOrElseW(
          ({ node }) => node.type === 'dir',
          () => Failure.typeMismatch,
        ),
        E.filterOrElseW(
          ({ locked }) => !locked,
          () => denied,
        ),
        E.map(({ content }) => listingOf(content)),
      ),
    ),
})
