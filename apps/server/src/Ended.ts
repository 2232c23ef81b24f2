import type { Exchange } from './Exchange.js'
import type { RefusalName } from './Refusal.js'
import type { Operation } from './Route.js'

/** How a request ended. Values of closed sets only: whatever a client chooses stays out. */
export interface Ended {
  /** `none` for what is no operation. */
  readonly operation: Operation | 'none'
  readonly status: number
  readonly failure: RefusalName | 'none'
  /** False when the connection was gone before the answer was out. */
  readonly complete: boolean
}

/** To be asked once the answer is closed. */
export const of = ({ request, response, state }: Exchange): Ended => ({
  operation: state.route?.operation ?? 'none',
  status: response.statusCode,
  failure: state.refusal?.error ?? 'none',
  // Node takes what a connection lost with it for written.
  complete: response.writableFinished && !request.socket.destroyed,
})
