import type { Logger } from 'pino'
import type { OnMalformed } from '../connection/answerMalformed.js'
import type { Observing } from './Observing.js'

/** What is no request has no operation and no time, but a line and a count of its own. */
export const reportMalformed =
  (log: Logger, { metrics }: Observing): OnMalformed =>
  ({ error, status }, id, code) => {
    metrics?.began()({ operation: 'none', status, failure: error, complete: true })
    log.info({ id, status, error, code }, 'malformed request')
  }
