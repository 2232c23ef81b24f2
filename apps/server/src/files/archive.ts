import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Archive, Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { ZipFile } from 'yazl'
import { orThrow } from '../bodies/bodyOf.js'
import { isLate, pause } from '../bodies/pause.js'
import type { HandlerEnv } from '../operationHandlers.js'
import type { ArchiveEntry } from './archiveEntries.js'
import { maxSeconds } from './fileHeaders.js'
import { fileStream } from './fileStream.js'

/** The time of yazl's functions for each entry grows with the number of entries, and so does its memory. */
export const maxArchiveNodes = 100_000

const timeOf = (seconds: bigint): Date => new Date(Number(seconds < maxSeconds ? seconds : maxSeconds) * 1000)

/** Streams the entries as one archive, file after file. A file that is gone or no longer shown is omitted. */
export const archive = (
  env: HandlerEnv,
  { open }: Archive<Failure.OfAccess>,
  entries: ReadonlyArray<ArchiveEntry>,
): Readable => {
  const zip = new ZipFile()
  let bytes = Readable.from([])
  // One function for all entries, because yazl keeps it with each: a closure would keep every stream in memory.
  const current = (give: (error: unknown, bytes: Readable) => void): void => give(null, bytes)

  const addAll = async (): Promise<void> => {
    // Directories first: while no file is pending, yazl writes each at once. Many pending ones would overflow its stack.
    for (const { path, name, seconds } of entries) {
      if (path !== undefined) continue
      zip.addEmptyDirectory(name, { mtime: timeOf(seconds) })
      if (isLate()) await pause(env.context.signal)
    }
    for (const { path, name, seconds } of entries) {
      if (path === undefined) continue
      const found = await open(path)()
      if (E.isLeft(found) && found.left.error === 'file not found') continue
      const file = orThrow(found)
      // The client left meanwhile. The file is closed with the request (portCall.ts), and nothing would read this stream.
      if (output.destroyed) return
      bytes = fileStream(env, file)
      zip.addReadStreamLazy(name, { mtime: timeOf(seconds), compress: false }, current)
      await finished(bytes)
      await file.opened.close()
    }
    zip.end()
  }

  const output = Readable.from(zip.outputStream, { objectMode: false, highWaterMark: 1 })
  addAll().catch((thrown) => output.destroy(thrown))
  return output.once('close', () => bytes.destroy())
}
