import type { Logger } from 'pino'
import type { ConnectionOptions, OnMalformed } from '../http/connections.js'
import { lineASecond } from './log.js'
import type { Metrics } from './prometheus.js'

interface Observing {
  readonly metrics?: Metrics
}

/** Counts refused connections, and logs the reason once. */
export const reportRefused = (
  log: Logger,
  { metrics }: Observing,
  { maxConnections }: Pick<ConnectionOptions, 'maxConnections'>,
): ((open: number) => void) => {
  let isReported = false
  return (open) => {
    metrics?.refusedConnection()
    if (isReported) return
    isReported = true
    const limit = open < maxConnections ? 'the open-file limit (LimitNOFILE, ulimit -n)' : 'CANOPY_MAX_CONNECTIONS'
    log.warn({ open }, `refusing connections because too many are open: raise ${limit}`)
  }
}

/** Counts each connection without a descriptor, and logs one line a second for all of them. */
export const reportAcceptErrors = (log: Logger, { metrics }: Observing): ((cause: NodeJS.ErrnoException) => void) => {
  const report = lineASecond(
    log,
    'refused',
    'refusing connections: out of file descriptors; raise the open-file limit (LimitNOFILE, ulimit -n)',
  )
  return ({ code, message }) => {
    if (code !== 'EMFILE' && code !== 'ENFILE') return log.error({ message }, 'cannot accept a connection')
    metrics?.failedAccept()
    report()
  }
}

/** Logs a malformed request, and counts it as a request without an operation. */
export const reportMalformed =
  (log: Logger, { metrics }: Observing): OnMalformed =>
  ({ error, status }, id, code) => {
    metrics?.began()
    metrics?.ended({ operation: 'none', status, failure: error, complete: true }, 0)
    log.info({ id, status, error, code }, 'malformed request')
  }
