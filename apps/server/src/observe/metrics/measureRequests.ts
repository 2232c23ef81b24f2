import type { Exchange } from '../../Exchange.js'
import { endOf } from '../../endOf.js'
import type { Metrics } from './Metrics.js'

/** Counts and times a request, until its answer is out or its connection gone. */
export const measureRequests =
  ({ began, limited }: Pick<Metrics, 'began' | 'limited'>) =>
  (exchange: Exchange): void => {
    const ended = began()
    exchange.response.once('close', () => {
      const end = endOf(exchange)
      if (end.failure === 'too many requests') limited()
      ended(end)
    })
  }
