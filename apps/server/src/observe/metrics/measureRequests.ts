import type { Exchange } from '../../Exchange.js'
import type { Metrics } from './Metrics.js'

/** Counts and times a request, until its answer is out or its connection gone. */
export const measureRequests =
  ({ began, limited }: Pick<Metrics, 'began' | 'limited'>) =>
  ({ request, response, state }: Exchange): void => {
    const ended = began()
    response.once('close', () => {
      const failure = state.refusal?.error ?? 'none'
      if (failure === 'too many requests') limited()
      ended({
        operation: state.route?.operation ?? 'none',
        status: response.statusCode,
        failure,
        // Node takes what a connection lost with it for written.
        complete: response.writableFinished && !request.socket.destroyed,
      })
    })
  }
