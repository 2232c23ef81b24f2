import type { Metrics } from './metrics/Metrics.js'
import type { Tracing } from './tracing/Tracing.js'

/** Who is told what the service does: nobody, where one is absent. */
export interface Observing {
  readonly metrics?: Metrics
  readonly tracing?: Tracing
}
