import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Failure, type OpenedFile } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { constVoid, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { nodeOfStats } from '../resolve/decode.js'
import { withHint } from '../resolve/errno.js'
import { lookUpFailure } from '../resolve/openPinned.js'
import type { PinnedEntry } from '../resolve/PathResolver.js'
import type { StorageResult } from '../StorageResult.js'
import type { FileFacts } from './messages.js'
import { type Chunk, openedFile } from './openedFile.js'

/** A FIFO that is swapped in must not block, a link must lead nowhere, and a terminal must not take control of the process. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY

/**
 * Opens a regular file for reading. `stats` come first, because to open a FIFO would wake its writer; the kind of the open
 * descriptor decides.
 */
export const openEntry = ({ pinned, entryPath, stats }: PinnedEntry): Promise<StorageResult<OpenedFile>> =>
  pipe(
    TE.fromEither(factsOf(stats, entryPath)),
    TE.flatMap(() => TE.tryCatch(() => open(entryPath, flags), lookUpFailure(pinned))),
    TE.flatMap((handle) => {
      const close = (): Promise<void> => handle.close().catch(constVoid)
      return pipe(
        TE.tryCatch(() => handle.stat({ bigint: true }), Failure.external),
        TE.flatMapEither((opened) => factsOf(opened, `/proc/self/fd/${handle.fd}`)),
        TE.map((facts) => openedFile(facts, readFrom(handle), close)),
        TE.tapError(() => TE.fromTask(close)),
      )
    }),
  )()

const factsOf = (stats: BigIntStats, path: string): StorageResult<FileFacts> => {
  const node = O.toUndefined(nodeOfStats(stats, path))
  if (node?.type !== 'file') return E.left(node === undefined ? Failure.fileNotFound : Failure.typeMismatch)
  // The change time too: a writer can set the modification time back.
  const parts = [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs]
  const version = parts.map((each) => each.toString(36)).join('.')
  return E.right({ size: node.size, last_modified: node.last_modified, version })
}

/** Node closes a file after its running reads, and fails later ones. */
const readFrom =
  (handle: FileHandle) =>
  async (start: bigint, end: bigint): Promise<Chunk> => {
    try {
      // Node would read at another position.
      if (end > Number.MAX_SAFE_INTEGER) throw new Error('Node cannot read a file beyond 2^53 bytes')
      const length = Number(end - start)
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, Number(start))
      if (bytesRead === 0) throw new Error('the file shrank while it was being read')
      return E.right(buffer.subarray(0, bytesRead))
    } catch (thrown) {
      return E.left(Failure.external(withHint(thrown)))
    }
  }
