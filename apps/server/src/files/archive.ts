import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Archive, Failure, File } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { ZipFile } from 'yazl'
import { FailedStream } from '../http/HttpResponse.js'
import type { ArchiveEntry } from './archiveEntries.js'
import { type DownloadEnv, endWithAccess, fileBytes } from './download.js'
import { maxSeconds } from './fileHeaders.js'

/** The time of yazl's functions for each entry grows with the number of entries, and so does its memory. */
export const maxArchiveNodes = 100_000

const timeOf = (seconds: bigint): Date => new Date(Number(seconds < maxSeconds ? seconds : maxSeconds) * 1000)

/** Streams the entries as one archive, file after file. A file that is gone or no longer shown is omitted. */
export const archive = (
  env: DownloadEnv,
  { open }: Archive<Failure.OfAccess>,
  entries: ReadonlyArray<ArchiveEntry>,
): Readable => {
  const zip = new ZipFile()
  const output = Readable.from(zip.outputStream, { objectMode: false, highWaterMark: 1 })
  let bytes = Readable.from([])
  // One function for all entries, because yazl keeps it with each: a closure would keep every stream in memory.
  const current = (give: (error: unknown, bytes: Readable) => void): void => give(null, bytes)
  let authorizeAgain: File<Failure.OfAccess>['authorizeAgain'] = TE.right(undefined)

  const add = async ({ path, name, seconds }: ArchiveEntry): Promise<void> => {
    const mtime = timeOf(seconds)
    if (path === undefined) return zip.addEmptyDirectory(name, { mtime })
    const found = await open(path)()
    if (E.isLeft(found) && found.left.error === 'file not found') return
    if (E.isLeft(found)) throw new FailedStream(found.left)
    const { opened } = found.right
    authorizeAgain = found.right.authorizeAgain
    bytes = Readable.from(fileBytes(env, opened), { objectMode: false })
    zip.addReadStreamLazy(name, { mtime, compress: false }, current)
    await finished(bytes)
    // If its reading fails, the file is closed with the request (portCall.ts).
    await opened.close()
  }

  const addAll = async (): Promise<void> => {
    for (const entry of entries) await add(entry)
    zip.end()
  }

  addAll().catch((thrown) => output.destroy(thrown))
  endWithAccess(env, output, () => authorizeAgain())
  return output
}
