import { type BigIntStats, constants, fstatSync, openSync, read } from 'node:fs'
import { Failure, type OpenedFile } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { constVoid, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { nodeOfStats } from '../resolve/decode.js'
import { withHint } from '../resolve/errno.js'
import { closeDescriptor, lookUp } from '../resolve/openPinned.js'
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
export const openEntry = ({ pinned, entryPath, stats }: PinnedEntry): StorageResult<OpenedFile> =>
  pipe(
    factsOf(stats, entryPath),
    E.flatMap(() => lookUp(pinned, () => openSync(entryPath, flags))),
    E.flatMap((fd) => {
      const facts = pipe(
        E.tryCatch(() => fstatSync(fd, { bigint: true }), Failure.external),
        E.flatMap((opened) => factsOf(opened, `/proc/self/fd/${fd}`)),
      )
      if (E.isLeft(facts)) closeDescriptor(fd)
      return E.map((of: FileFacts) => openDescriptor(fd, of))(facts)
    }),
  )

const factsOf = (stats: BigIntStats, path: string): StorageResult<FileFacts> => {
  const node = O.toUndefined(nodeOfStats(stats, path))
  if (node?.type !== 'file') return E.left(node === undefined ? Failure.fileNotFound : Failure.typeMismatch)
  // The change time too: a writer can set the modification time back.
  const parts = [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs]
  const version = parts.map((each) => each.toString(36)).join('.')
  return E.right({ size: node.size, last_modified: node.last_modified, version })
}

const closed = Failure.external(new Error('the file is closed'))
const becameShorter = Failure.external(new Error('the file shrank while it was being read'))

/** Closes after the running reads: the number of a closed descriptor may already belong to another file. */
const openDescriptor = (fd: number, facts: FileFacts): OpenedFile => {
  let isClosed = false
  let running: Promise<void> = Promise.resolve()
  const readNext = (start: bigint, end: bigint): Promise<Chunk> => {
    const reading = isClosed ? Promise.resolve(E.left(closed)) : readAt(fd, start, end)
    running = Promise.all([running, reading]).then(constVoid)
    return reading
  }
  const close = async (): Promise<void> => {
    if (isClosed) return
    isClosed = true
    await running
    closeDescriptor(fd)
  }
  return openedFile(facts, readNext, close)
}

/** The promises of Node take no bigint as a position. */
const readAt = (fd: number, start: bigint, end: bigint): Promise<Chunk> =>
  new Promise((resolve) => {
    const buffer = Buffer.allocUnsafe(Number(end - start))
    read(fd, buffer, 0, buffer.length, start, (error, count) => {
      if (error !== null) resolve(E.left(Failure.external(withHint(error))))
      else resolve(count === 0 ? E.left(becameShorter) : E.right(buffer.subarray(0, count)))
    })
  })
