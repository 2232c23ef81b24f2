import { type BigIntStats, closeSync, constants, fstatSync, openSync, read } from 'node:fs'
import { type Entry, Failure, type OpenedFile } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { nodeOfStats } from '../resolve/decode.js'
import { withHint } from '../resolve/errno.js'
import { lookUp } from '../resolve/openPinned.js'
import type { PinnedEntry } from '../resolve/PathResolver.js'
import type { StorageResult } from '../StorageResult.js'
import { type Chunk, openedFile } from './openedFile.js'

/** A FIFO that is swapped in must not block, a link must lead nowhere, and a terminal must not take control of the process. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY

/**
 * Opens a regular file for reading. `stats` come first, because to open a FIFO would wake its writer; the kind of the open
 * descriptor decides.
 */
export const openEntry = ({ pinned, entryPath, stats }: PinnedEntry): StorageResult<OpenedFile> =>
  pipe(
    fileOf(stats, entryPath),
    E.flatMap(() => lookUp(pinned, () => openSync(entryPath, flags))),
    E.flatMap((fd) => {
      const opened = openDescriptor(fd)
      if (E.isLeft(opened)) closeSync(fd)
      return opened
    }),
  )

const fileOf = (stats: BigIntStats, path: string): StorageResult<Entry.FileNode> =>
  pipe(
    nodeOfStats(stats, path),
    E.fromOption(() => Failure.fileNotFound),
    E.filterOrElseW(
      (node) => node.type === 'file',
      () => Failure.typeMismatch,
    ),
  )

const openDescriptor = (fd: number): StorageResult<OpenedFile> =>
  pipe(
    E.tryCatch(() => fstatSync(fd, { bigint: true }), Failure.external),
    E.bindTo('stats'),
    E.bindW('file', ({ stats }) => fileOf(stats, `/proc/self/fd/${fd}`)),
    E.map(({ stats, file: { size, last_modified } }) => {
      // The change time too: a writer can set the modification time back.
      const parts = [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs]
      const version = parts.map((each) => each.toString(36)).join('.')
      return openedFile({ size, last_modified, version }, readAt(fd), () => closeSync(fd))
    }),
  )

const becameShorter = Failure.external(new Error('the file shrank while it was being read'))

/** The promises of Node take no bigint as a position. */
const readAt =
  (fd: number) =>
  (start: bigint, end: bigint): Promise<Chunk> =>
    new Promise((resolve) => {
      const buffer = Buffer.allocUnsafe(Number(end - start))
      read(fd, buffer, 0, buffer.length, start, (error, count) => {
        if (error !== null) resolve(E.left(Failure.external(withHint(error))))
        else resolve(count === 0 ? E.left(becameShorter) : E.right(buffer.subarray(0, count)))
      })
    })
