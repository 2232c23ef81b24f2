import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Archive, Failure, File } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { ZipFile } from 'yazl'
import { FailedStream } from '../http/HttpResponse.js'
import type { RequestContext } from '../http/RequestContext.js'
import type { Metrics } from '../observe/prometheus.js'
import type { ArchiveEntry } from './archiveEntries.js'
import { endWithAccess, fileBytes } from './download.js'

/** The time of yazl's functions for each entry grows with the number of entries, and so does its memory. */
export const maxArchiveNodes = 100_000

/** The latest time of a `Date` with four digits for the year, in seconds. */
const maxSeconds = 253_402_300_799n

const timeOf = (seconds: bigint): Date => new Date(Number(seconds < maxSeconds ? seconds : maxSeconds) * 1000)

/** Streams the entries as one archive, file after file. A file that is gone or no longer shown is omitted. */
export const archive = (
  context: RequestContext,
  { open }: Archive<Failure.OfAccess>,
  entries: ReadonlyArray<ArchiveEntry>,
  metrics: Metrics | undefined,
): Readable => {
  const zip = new ZipFile()
  const output = Readable.from(zip.outputStream, { objectMode: false, highWaterMark: 1 })
  let bytes = Readable.from([])
  // One function for all entries, because yazl keeps it with each: a closure would keep every stream in memory.
  const current = (give: (error: unknown, bytes: Readable) => void): void => give(null, bytes)
  let authorizeAgain: File<Failure.OfAccess>['authorizeAgain'] = TE.right(undefined)

  const add = async ({ path, name, seconds }: ArchiveEntry): Promise<void> => {
    const opened = await open(path)()
    if (E.isLeft(opened) && opened.left.error === 'file not found') return
    if (E.isLeft(opened)) throw new FailedStream(opened.left)
    const file = opened.right
    authorizeAgain = file.authorizeAgain
    const reading = Readable.from(fileBytes(context, file, { start: 0n, end: file.size }, metrics), {
      objectMode: false,
    })
    bytes = reading
    zip.addReadStreamLazy(name, { mtime: timeOf(seconds), compress: false }, current)
    const leave = (): unknown => reading.destroy()
    context.signal.addEventListener('abort', leave)
    try {
      await finished(reading)
    } finally {
      context.signal.removeEventListener('abort', leave)
      reading.destroy()
      await file.close()
    }
  }

  const addAll = async (): Promise<void> => {
    for (const entry of entries) {
      if (entry.type === 'file') await add(entry)
      else zip.addEmptyDirectory(entry.name, { mtime: timeOf(entry.seconds) })
    }
    zip.end()
  }

  addAll().catch((thrown) => output.destroy(thrown))
  endWithAccess(context, output, () => authorizeAgain())
  return output
}
