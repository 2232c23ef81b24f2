// A process that reads for the one that started it: see readers.ts.
import { getPriority, setPriority } from 'node:os'
import type { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { fsStorage } from './fsStorage.js'
import { partsOf, troubleOf } from './readDirectory.js'
import type { Cancel, PlainFailure, Question, Reply } from './readers.js'

/** Parts in a message: some thousand entries. */
const partsAtOnce = 16

// The process that answers requests goes first where processors are few.
setPriority(Math.min(19, getPriority() + 5))

// The folder that the service was started in may be deleted, or unmounted.
process.chdir('/')

// It ends when the other one does, whatever signal the whole group gets: what is being answered still needs it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)

/** What is being answered, and what is not wanted any more: that may come first. */
let answering = { id: 0, gone: new AbortController() }
let cancelled = 0
process.on('message', (message: Partial<Cancel> | null) => {
  if (message?.cancel === undefined) return
  cancelled = message.cancel
  if (cancelled === answering.id) answering.gone.abort()
})

const plain = (failure: Failure.OfStorage): PlainFailure =>
  failure.error === 'external' ? { error: failure.error, trouble: troubleOf(failure.cause) } : failure

/** Answers one question; the pool asks the next one after that. */
export const answer = async ({ id, root, ask, area, path }: Question): Promise<Reply> => {
  answering = { id, gone: new AbortController() }
  if (cancelled === id) answering.gone.abort()
  const storage = fsStorage(root)
  if (ask === 'nodeAt') return pipe(await storage.nodeAt(area, path)(), E.mapLeft(plain))
  const listed = await storage[ask](area, path, undefined, answering.gone.signal)()
  if (E.isLeft(listed)) return E.left(plain(listed.left))
  const parts = partsOf(listed.right)
  for (let from = 0; from < parts.length; from += partsAtOnce) process.send?.(parts.slice(from, from + partsAtOnce))
  return E.right('listed')
}
