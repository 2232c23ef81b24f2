import type * as E from 'fp-ts/lib/Either.js'
import { serveAt } from '../connection/listen.js'
import { noOtherProcesses } from '../defence/failedLookups.js'
import { openLog } from '../log/openLog.js'
import { warnOfUnknown } from '../log/warnOfUnknown.js'
import type { ServerConfig } from '../ServerConfig.js'
import { onReloadSignal, onStopSignal } from '../signals.js'
import { openPort } from './openPort.js'
import { serve } from './serve.js'
import type { Leave } from './words.js'

/** The only process that answers, until it is told to stop. `left` says why it did not start. */
export const alone = (config: ServerConfig): Promise<E.Either<string, void>> => {
  const log = openLog({ level: config.logLevel, base: null })
  warnOfUnknown(config, log)
  const leave = new Promise<Leave>((resolve) => onStopSignal(log, () => resolve('stop')))
  onReloadSignal(() => log.warn('nothing is reloaded with one process: restart it, or set CANOPY_WORKERS'))
  return serve(config, log, {
    leave,
    open: (handler, options) => serveAt(handler, options, (server) => openPort(server, config.installation, log)),
    begun: () => undefined,
    others: noOtherProcesses,
  })
}
