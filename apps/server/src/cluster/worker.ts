import type { Worker } from 'node:cluster'
import type * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { OtherProcesses } from '../defence/failedLookups.js'
import { openLog } from '../log/openLog.js'
import type { ServerConfig } from '../ServerConfig.js'
import { stopSignals } from '../signals.js'
import { receive } from './receive.js'
import { serve } from './serve.js'
import { tellPrimary } from './tellPrimary.js'
import { isFailedLookup, isLeave, type Leave, ready } from './words.js'

const otherWorkers: OtherProcesses = {
  tell: (failedLookup) => tellPrimary({ failedLookup }),
  hear: (heard) =>
    void process.on('message', (word) => {
      if (isFailedLookup(word)) heard(word.failedLookup)
    }),
}

/**
 * One of the processes that answer, until the primary tells it to leave. A signal may come from the terminal or the service
 * manager, to all at once. `left` says why it did not start.
 */
export const worker = (config: ServerConfig, self: Worker): Promise<E.Either<string, void>> => {
  const log = openLog({ level: config.logLevel, base: { worker: self.id, pid: process.pid } })
  const leave = new Promise<Leave>((resolve) => {
    process.on('message', (word) => {
      if (isLeave(word)) resolve(word)
    })
    for (const signal of stopSignals) process.on(signal, () => resolve('stop'))
    process.on('SIGHUP', () => undefined)
  })
  return serve(config, log, {
    leave,
    open: (handler, options) => TE.fromIO(() => receive(handler, options)),
    begun: () => {
      log.info('ready')
      tellPrimary(ready)
    },
    others: otherWorkers,
  })
}
