import { type Archive, Failure, type Signal, StoragePath, type Tree, type TreeNode } from '@canopy/domain'
import { HttpError } from '@canopy/http'
import { timeSlices } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { readAhead } from '../bodies/readAhead.js'

/** A file, or a directory without entries, in an archive. */
export interface ArchiveEntry {
  readonly type: 'file' | 'dir'
  readonly path: StoragePath.StoragePath
  /** Its path in the archive. */
  readonly name: string
  /** Unix time in seconds. A directory has none. */
  readonly seconds: bigint
}

type Listed<A> = E.Either<Failure.OfAccess | typeof HttpError.tooLarge, A>

const tooLong = Failure.external(new Error('the path of a file in the archive is too long'))
const clientLeft = Failure.external(new Error('the client disconnected'))

/** Lists a whole archive before its first byte, because it has no mark for a node that is missing. */
export const archiveEntries = async (
  tree: Archive<Failure.OfAccess>['tree'],
  signal: Signal,
): Promise<Listed<ReadonlyArray<ArchiveEntry>>> => {
  const entries: Array<ArchiveEntry> = []
  const sliceEnd = timeSlices()

  const list = async (
    directory: StoragePath.StoragePath,
    expansion: Tree.Listed | Tree.NotExpanded,
    prefix: string,
  ): Promise<Listed<void>> => {
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
      const name = prefix + nameOf(child.name)
      const listed = child.type === 'file' ? addFile(directory, child, name) : await listBelow(child, name)
      if (E.isLeft(listed)) return listed
    }
    return E.right(undefined)
  }

  const addFile = (directory: StoragePath.StoragePath, file: TreeNode.FileTreeNode, name: string): Listed<void> => {
    const path = file.name === '' ? O.none : StoragePath.child(directory, file.name)
    if (O.isNone(path)) return E.left(tooLong)
    entries.push({ type: 'file', path: path.value, name, seconds: file.last_modified })
    return E.right(undefined)
  }

  const listBelow = async ({ path, children }: Tree.Directory, name: string): Promise<Listed<void>> => {
    const before = entries.length
    const expansion = await children()
    if (E.isLeft(expansion)) return expansion
    if (expansion.right.is === 'vanished') return E.right(undefined)
    const listed = await list(path, expansion.right, `${name}/`)
    if (entries.length === before) entries.push({ type: 'dir', path, name, seconds: 0n })
    return listed
  }

  const expansion = await tree.children()
  const listed = E.isLeft(expansion) ? expansion : await list(tree.path, expansion.right, '')
  return E.isLeft(listed) ? listed : E.right(entries)
}

/**
 * Returns names for the entries of one directory that no extractor takes for a path, a drive or each other. `\` and `:` are
 * percent-encoded, and so are as many characters as keep apart two names that differ only in case or Unicode form. `%` before two
 * hexadecimal digits is encoded too, so that decoding gives the stored name.
 */
const archiveNames = (): ((name: string) => string) => {
  const taken = new Set<string>()
  return (name) => {
    const characters = Array.from(name)
    for (let encoded = 0; ; encoded += 1) {
      const rest = characters.slice(encoded).join('').replace(hostile, percentEncoded)
      const candidate = characters.slice(0, encoded).map(percentEncoded).join('') + rest
      const folded = candidate.normalize('NFC').toLowerCase()
      if (taken.has(folded) && encoded < characters.length) continue
      taken.add(folded)
      return candidate
    }
  }
}

const hostile = /[\\:]|%(?=[0-9a-f]{2})/gi

const percentEncoded = (character: string): string =>
  Array.from(
    new TextEncoder().encode(character),
    (byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`,
  ).join('')
