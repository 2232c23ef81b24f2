// A process that reads for the one that started it: see readers.ts.
import { getPriority, setPriority } from 'node:os'
import type { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { PackedEntries } from './read/directory.js'
import { fsStorage } from './read/fsStorage.js'
import type { Answered, Cancel, PlainFailure, Question, Reply, Trouble } from './read/readers.js'
import { storageReachable } from './resolve/areas.js'
import { errnoOf } from './resolve/decode.js'

// The process that answers requests goes first where processors are few.
setPriority(Math.min(19, getPriority() + 5))

// The folder that the service was started in may be deleted, or unmounted.
process.chdir('/')

// It ends when the other one does, whatever signal the whole group gets: what is being answered still needs it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)

const noOneWaits = new Error('no one waits for the listing any more')

/** What is being answered, and what is not wanted any more: that may come first. */
let answering = { id: 0, gone: new AbortController() }
let cancelled = 0
process.on('message', (message: Partial<Cancel> | null) => {
  if (message?.cancel === undefined) return
  cancelled = message.cancel
  if (cancelled === answering.id) answering.gone.abort(noOneWaits)
})

const troubleOf = (cause: unknown): Trouble => ({
  code: errnoOf(cause),
  message: cause instanceof Error ? cause.message : String(cause),
})

const plain = (failure: Failure.OfStorage): PlainFailure =>
  failure.error === 'external' ? { error: failure.error, trouble: troubleOf(failure.cause) } : failure

/** Answers one question; the pool asks the next one after that. */
export const answer = async ({ id, root, asked }: Question): Promise<Reply<Answered>> => {
  answering = { id, gone: new AbortController() }
  if (cancelled === id) answering.gone.abort(noOneWaits)
  if (asked.ask === 'reachable') return E.bimap(plain, () => null)(await storageReachable(root)())
  const { ask, area, path } = asked
  const storage = fsStorage(root)
  if (ask === 'nodeAt') return E.mapLeft(plain)(await storage.nodeAt(area, path)())
  const listed = await storage[ask](area, path, { signal: answering.gone.signal })()
  if (E.isLeft(listed)) return E.left(plain(listed.left))
  const { entries, unlistable, unknown } = listed.right
  if (!(entries instanceof PackedEntries)) throw new Error('a listing of files is packed')
  const trouble = unknown && { names: unknown.names, trouble: troubleOf(unknown.cause) }
  return E.right({ packed: entries.packed, unlistable, unknown: trouble })
}
