import { Failure, StoragePath, type Tree } from '@canopy/domain'
import { HttpError } from '@canopy/http'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { orThrow, type WriteOptions } from '../bodies/bodyOf.js'
import { isLate, pause } from '../bodies/pause.js'
import { admitted } from '../bodies/tree.js'
import { FailedStream, failureOf } from '../http/HttpResponse.js'

/** A file, or a directory without entries, in an archive. */
export interface ArchiveEntry {
  /** `undefined` for a directory. */
  readonly path?: StoragePath.StoragePath
  /** Its path in the archive. */
  readonly name: string
  /** Unix time in seconds. A directory has none. */
  readonly seconds: bigint
}

const tooLong = Failure.external(new Error('the path of a file in the archive is too long'))

/** Lists a whole archive before its first byte, because it has no mark for a node that is missing. */
export const archiveEntries = (
  tree: Tree.TopDirectory,
  signal: WriteOptions['signal'],
): TE.TaskEither<HttpError.HttpError, ReadonlyArray<ArchiveEntry>> => {
  const entries: Array<ArchiveEntry> = []

  const list = async ({ path, children }: Tree.TopDirectory | Tree.Directory, prefix: string): Promise<void> => {
    const expansion = orThrow(await children())
    if (expansion.is === 'vanished') return
    if (expansion.is === 'not expanded')
      throw new FailedStream(expansion.unreadable ? Failure.external(expansion.unreadable.cause) : HttpError.tooLarge)
    const shown = await admitted(expansion, signal)
    if (shown === undefined) throw new FailedStream(HttpError.tooLarge)
    const entriesBefore = entries.length
    const nameOf = archiveNames()
    for (const child of shown) {
      if (child === undefined) continue
      if (isLate()) await pause(signal)
      const name = prefix + nameOf(child.name)
      if (child.type === 'dir') await list(child, `${name}/`)
      else {
        const filePath = orThrow(E.fromOption(() => tooLong)(StoragePath.child(path, child.name)))
        entries.push({ path: filePath, name, seconds: child.last_modified })
      }
    }
    if (entries.length === entriesBefore && prefix !== '') entries.push({ name: prefix, seconds: 0n })
  }

  return TE.tryCatch(() => list(tree, '').then(() => entries), failureOf)
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
  Buffer.from(character).toString('hex').toUpperCase().replace(/../g, '%$&')
