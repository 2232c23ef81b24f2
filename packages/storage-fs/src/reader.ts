// A process that reads directories (read/ReaderPool.ts), or files (read/FileProcesses.ts).
import { getPriority, setPriority } from 'node:os'
import { timeSlices, yieldToEventLoop } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import { DirectReader } from './read/DirectReader.js'
import { PackedEntries } from './read/PackedEntries.js'
import { plain, plainCause } from './read/PlainFailure.js'
import type { Batch, Cancel, Question, Replies, Reply } from './read/ReaderPool.js'
import { serveFiles } from './read/serveFiles.js'
import { storageReachable } from './resolve/areas.js'
import type { StorageRoot } from './StorageRoot.js'

// On few processors, the process that answers requests goes first.
setPriority(Math.min(19, getPriority() + 5))

/** The working directory between batches: any other could not be deleted or unmounted. */
const home = '/'
process.chdir(home)

// The process ends together with its parent, not by a signal to the whole group: the parent may still need its answers.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)

/** The cancelled questions of the running batch, or of the next one: its cancellation may arrive first. */
let cancelled = { batch: 0, questions: new Set<number>() }
process.on('message', (message: Partial<Cancel> | null) => {
  if (message?.cancelled === undefined || message.batch === undefined || message.batch < cancelled.batch) return
  if (message.batch > cancelled.batch) cancelled = { batch: message.batch, questions: new Set() }
  cancelled.questions.add(message.cancelled)
})

const clientLeft = new Error('the client left before the directory was read')

/** Entries of the working directory are looked up by their bare names, in half the time of a path through `/proc`. */
const enter = (fdPath: string): { readonly directory: string; readonly prefix: string } => {
  try {
    process.chdir(fdPath)
    return { directory: '.', prefix: '' }
  } catch {
    // The directory may be read but not searched.
    return { directory: fdPath, prefix: `${fdPath}/` }
  }
}

/** Larger messages would delay the first of their answers. */
const sliceMs = 1

/** Answers a batch in order. Sends the answers that are ready after each millisecond, and returns the last ones. */
export const answer = async ({ number, root, questions }: Batch): Promise<Replies> => {
  if (cancelled.batch < number) cancelled = { batch: number, questions: new Set() }
  const reader = new DirectReader(root, { enter })
  let replies: Array<readonly [number, Reply]> = []
  let sliceEnd = performance.now() + sliceMs
  for (const [index, question] of questions.entries()) {
    if (performance.now() > sliceEnd) {
      process.send?.({ replies } satisfies Replies)
      replies = []
      await yieldToEventLoop()
      sliceEnd = performance.now() + sliceMs
    }
    const isCancelled = (): boolean => cancelled.questions.has(index)
    if (!isCancelled()) replies.push([index, await replyTo(reader, root, question, isCancelled)])
  }
  process.chdir(home)
  return { replies }
}

const replyTo = async (
  reader: DirectReader,
  root: StorageRoot,
  question: Question,
  isCancelled: () => boolean,
): Promise<Reply> => {
  if (question.ask === 'reachable') return E.bimap(plain, () => null)(await storageReachable(root)())
  const { ask, area, path } = question
  if (ask === 'nodeAt') return E.mapLeft(plain)(await reader.nodeAt(area, path))
  const yieldAtEnd = timeSlices()
  const pause = async (): Promise<void> => {
    await yieldAtEnd()
    if (isCancelled()) throw clientLeft
  }
  const listed = await reader.list(area, path, { isSnapshot: ask === 'listSnapshot', pause })
  if (E.isLeft(listed)) return E.left(plain(listed.left))
  const { entries, unlistable, unknown } = listed.right
  if (!(entries instanceof PackedEntries)) throw new Error('a listing of files is packed')
  return E.right({
    packed: entries.packed,
    unlistable,
    unknown: unknown && { names: unknown.names, cause: plainCause(unknown.cause) },
  })
}

if (process.argv[2] === 'files') serveFiles()
