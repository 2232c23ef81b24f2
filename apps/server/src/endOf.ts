import type { Ended } from './Ended.js'
import type { Exchange } from './Exchange.js'
import { routeAsked } from './routeAsked.js'

/** How a request ended, once its answer is closed. */
export const endOf = (exchange: Exchange): Ended => {
  const { request, response, state } = exchange
  return {
    operation: routeAsked(exchange).route?.operation ?? 'none',
    status: response.headersSent ? response.statusCode : 'none',
    failure: state.refusal?.error ?? 'none',
    // Node takes what a connection lost with it for written.
    complete: response.writableFinished && !request.socket.destroyed,
  }
}
