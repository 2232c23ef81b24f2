import type { Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type * as E from 'fp-ts/lib/Either.js'
import type { OtherProcesses } from '../defence/failedLookups.js'
import { openLog } from '../log/openLog.js'
import type { ServerConfig } from '../ServerConfig.js'
import { stopSignals } from '../signals.js'
import { serve } from './serve.js'
import { type FailedLookup, isFailedLookup, isLeave, type Leave, listening } from './words.js'

const tellPrimary = (word: typeof listening | FailedLookup): void =>
  // What cannot be sent any more goes to a primary that is gone.
  void process.send?.(word, undefined, undefined, () => undefined)

const otherWorkers: OtherProcesses = {
  tell: (failedLookup) => tellPrimary({ failedLookup }),
  hear: (heard) =>
    void process.on('message', (word) => {
      if (isFailedLookup(word)) heard(word.failedLookup)
    }),
}

/** The primary hands over one connection at a time, each on the word that the last was taken: the next may take so long. */
const arrivalMs = 50

/** After the primary's answer no connection is on its way to this worker any more. */
const lastWord = async (self: Worker): Promise<void> => {
  self.disconnect()
  await Promise.race([once(self, 'disconnect'), sleep(1_000)])
}

/**
 * One of the processes that answer, until the primary tells it to leave. A signal may come from the terminal or the service
 * manager, to all at once. `left` says why it did not start.
 */
export const worker = async (config: ServerConfig, self: Worker): Promise<E.Either<string, void>> => {
  const log = openLog({ level: config.logLevel, base: { worker: self.id, pid: process.pid } })
  const leave = new Promise<Leave>((resolve) => {
    process.on('message', (word) => {
      if (isLeave(word)) resolve(word)
    })
    for (const signal of stopSignals) process.on(signal, () => resolve('stop'))
    process.on('SIGHUP', () => undefined)
  })
  const served = await serve(config, log, {
    leave,
    listening: () => tellPrimary(listening),
    others: otherWorkers,
    arrivalMs,
  })
  await lastWord(self)
  return served
}
