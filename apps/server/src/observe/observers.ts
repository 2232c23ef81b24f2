import type { Exchange } from '../Exchange.js'
import { measureRequests } from './metrics/measureRequests.js'
import type { Observing } from './Observing.js'
import { traceRequests } from './tracing/traceRequests.js'

type Observer = (exchange: Exchange) => void

/** Who watches each request go by. */
export const observers = ({ metrics, tracing }: Observing): ReadonlyArray<Observer> => [
  ...(metrics === undefined ? [] : [measureRequests(metrics)]),
  ...(tracing === undefined ? [] : [traceRequests(tracing)]),
]
