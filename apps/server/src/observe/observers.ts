import type { Middleware } from 'koa'
import type { RequestState } from '../RequestState.js'
import { measureRequests } from './metrics/measureRequests.js'
import type { Observing } from './Observing.js'
import { traceRequests } from './tracing/traceRequests.js'

/** What watches each request go by. */
export const observers = ({ metrics, tracing }: Observing): ReadonlyArray<Middleware<RequestState>> => [
  ...(metrics === undefined ? [] : [measureRequests(metrics)]),
  ...(tracing === undefined ? [] : [traceRequests(tracing)]),
]
