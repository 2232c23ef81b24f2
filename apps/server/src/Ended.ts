import type { Operation } from './Operation.js'
import type { RefusalName } from './Refusal.js'

/** How a request ended. Values of closed sets only: whatever a client chooses stays out. */
export interface Ended {
  /** `none` for what is no operation. */
  readonly operation: Operation | 'none'
  /** `none` when the connection was gone before an answer began. */
  readonly status: number | 'none'
  readonly failure: RefusalName | 'none'
  /** False when the connection was gone before the answer was out. */
  readonly complete: boolean
}
