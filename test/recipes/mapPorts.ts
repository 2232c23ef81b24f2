import { Area, type Entry, Failure, type Listing, Name, Settings, StoragePath, U64 } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

type Path = StoragePath.StoragePath

const last_modified = U64.zero
const nodes = new Map<string, Entry.Node>([
  ['/', { type: 'dir', last_modified }],
  ['/photos', { type: 'dir', last_modified }],
  ['/photos/beach.jpg', { type: 'file', size: U64.clamp(9n), last_modified }],
  ['/photos/sea.jpg', { type: 'file', size: U64.clamp(7n), last_modified }],
])
const area: Area.Area = { owner: 1n as Area.Area['owner'], location: Area.location('map') }
const settings = Settings.fromRecord({ '/photos': 'public' })

const find = (path: Path): TE.TaskEither<Failure.OfStorage, Entry.Node> => {
  const isBelowFile = StoragePath.upwards(path).some((above) => nodes.get(above)?.type === 'file')
  return TE.fromNullable(isBelowFile ? Failure.typeMismatch : Failure.fileNotFound)(nodes.get(path))
}

const list = (path: Path): Listing.Listing => {
  const prefix = path === StoragePath.root ? '/' : `${path}/`
  const entries = [...nodes].flatMap(([at, node]) => {
    const name = at.startsWith(prefix) ? at.slice(prefix.length) : ''
    return Name.is(name) ? [{ ...node, name }] : []
  })
  return { entries: entries.sort((one, other) => Name.byBytes.compare(one.name, other.name)), unlistable: 0 }
}

/** The six ports over a Map, with one account. */
export const mapPorts = {
  areaOfToken: (token: string) =>
    token === `cnp_${'a'.repeat(42)}A` ? TE.right({ area, scope: StoragePath.root }) : TE.left(Failure.invalidToken),
  areaOfUser: (user: bigint) => (user === area.owner ? TE.right(area) : TE.left(Failure.permissionDenied)),
  settingsOf: () => TE.right(settings),
  nodeAt: (_: Area.Area, path: Path) => find(path),
  list: (_: Area.Area, path: Path) =>
    pipe(
      find(path),
      TE.flatMap(({ type }) => (type === 'dir' ? TE.right(list(path)) : TE.left(Failure.typeMismatch))),
    ),
  triggerOf: (id: string) =>
    id === 'bell' ? TE.right({ type: 'mail', json: '{"type":"mail"}' }) : TE.left(Failure.triggerNotFound),
}
