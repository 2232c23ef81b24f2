import { type Archive, Failure, type StoragePath as Path, StoragePath, type Tree } from '@canopy/domain'
import { HttpError } from '@canopy/http'
import { timeSlices } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { readAhead } from '../bodies/tree.js'
import { archiveNames } from './archiveNames.js'

/** A file, or a directory without entries, in an archive. */
export interface ArchiveEntry {
  readonly type: 'file' | 'dir'
  readonly path: Path.StoragePath
  /** Its path in the archive. */
  readonly name: string
  /** Unix time in seconds. A directory has none. */
  readonly seconds: bigint
}

type Listed = E.Either<Failure.OfAccess | typeof HttpError.tooLarge, unknown>

const tooLong = Failure.external(new Error('the path of a file in the archive is too long'))
const clientLeft = Failure.external(new Error('the client has left'))

/** Lists a whole archive before its first byte, because it has no mark for a node that is missing. */
export const archiveEntries = async (
  { tree }: Pick<Archive<Failure.OfAccess>, 'tree'>,
  top: Path.StoragePath,
  signal: AbortSignal,
): Promise<E.Either<Failure.OfAccess | typeof HttpError.tooLarge, ReadonlyArray<ArchiveEntry>>> => {
  const entries: Array<ArchiveEntry> = []
  const sliceEnd = timeSlices()

  const listChild = async (child: Tree.Child, path: Path.StoragePath, name: string): Promise<Listed> => {
    if (child.type === 'file') return E.right(entries.push({ type: 'file', path, name, seconds: child.last_modified }))
    const before = entries.length
    const expansion = await child.children()
    if (E.isLeft(expansion)) return expansion
    if (expansion.right.is === 'vanished') return E.right(undefined)
    const listed = await list(expansion.right, path, `${name}/`)
    if (entries.length === before) entries.push({ type: 'dir', path, name, seconds: 0n })
    return listed
  }

  const list = async (
    expansion: Tree.Listed | Tree.NotExpanded,
    path: Path.StoragePath,
    prefix: string,
  ): Promise<Listed> => {
    if (expansion.is === 'not expanded')
      return E.left(
        expansion.unreadable === undefined ? HttpError.tooLarge : Failure.external(expansion.unreadable.cause),
      )
    const children = [...expansion.children].filter((child) => child !== undefined)
    if (!expansion.admit(children.length)()) return E.left(HttpError.tooLarge)
    const nameOf = archiveNames()
    for (const child of readAhead(children)) {
      if (child === undefined || child.name === '') continue
      await sliceEnd()
      if (signal.aborted) return E.left(clientLeft)
      const childPath = StoragePath.child(path, child.name)
      if (O.isNone(childPath)) return E.left(tooLong)
      const listed = await listChild(child, childPath.value, prefix + nameOf(child.name))
      if (E.isLeft(listed)) return listed
    }
    return E.right(undefined)
  }

  const expansion = await tree.children()
  const listed = E.isLeft(expansion) ? expansion : await list(expansion.right, top, '')
  return E.isLeft(listed) ? listed : E.right(entries)
}
