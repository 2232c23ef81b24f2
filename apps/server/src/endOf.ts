import type { Ended } from './Ended.js'
import type { Exchange } from './Exchange.js'

/** How a request ended, once its answer is closed. */
export const endOf = ({ request, response, state }: Exchange): Ended => ({
  operation: state.route?.operation ?? 'none',
  status: response.headersSent ? response.statusCode : 'none',
  failure: state.refusal?.error ?? 'none',
  // Node takes what a connection lost with it for written.
  complete: response.writableFinished && !request.socket.destroyed,
})
