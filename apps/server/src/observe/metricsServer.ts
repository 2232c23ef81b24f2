import cluster from 'node:cluster'
import type { RequestListener, ServerResponse } from 'node:http'
import { Failure } from '@canopy/domain'
import { commonHeaders, type Headers, HttpError, isReadMethod, jsonType } from '@canopy/http'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { AggregatorRegistry, collectDefaultMetrics, type PrometheusContentType, Registry } from 'prom-client'
import { httpServer } from '../http/connections.js'
import { errorResponse } from '../http/HttpResponse.js'
import { type Address, listen, type RunningServer } from '../http/listen.js'
import { type Metrics, metricsIn } from './prometheus.js'

const options = { maxConnections: 100, idleMs: 65_000 }

const send = (response: ServerResponse, status: number, headers: Headers, bytes: Buffer): void => {
  response.writeHead(status, { ...commonHeaders, ...headers, 'Content-Length': bytes.length })
  response.end(response.req.method === 'HEAD' ? undefined : bytes)
}

const refuse = (response: ServerResponse, error: HttpError.HttpError, more: Headers = {}): void => {
  const { status, headers, body } = errorResponse(error)
  send(response, status, { ...headers, ...more, 'Content-Type': jsonType }, body.bytes)
}

const respond =
  (collect: () => Promise<string>): RequestListener =>
  (request, response) => {
    if (request.url?.split('?')[0] !== '/metrics') return refuse(response, HttpError.noSuchRoute)
    if (!isReadMethod(request.method)) return refuse(response, HttpError.methodNotAllowed, { Allow: 'GET, HEAD' })
    const headers = { 'Content-Type': Registry.PROMETHEUS_CONTENT_TYPE, 'Cache-Control': 'no-store' }
    collect().then(
      (text) => send(response, 200, headers, Buffer.from(text)),
      (thrown: unknown) => refuse(response, Failure.external(thrown)),
    )
  }

/** Serves the result of `collect` at `/metrics`, in Prometheus' text format; 502 if it fails. */
export const metricsServer = (collect: () => Promise<string>, address: Address): TE.TaskEither<string, RunningServer> =>
  listen(httpServer(respond(collect), options), address, 'CANOPY_METRICS')

export interface Exposed {
  readonly metrics: Metrics
  /** `undefined` in a worker: its primary serves the metrics of all workers. */
  readonly url: string | undefined
  readonly stop: () => Promise<unknown>
}

/** Creates the metrics of this process and serves them. `left` says what prevents it. */
export const exposeMetrics = (address: Address): TE.TaskEither<string, Exposed> => {
  // The registry of a worker responds to the primary.
  const registry = cluster.isWorker ? new AggregatorRegistry<PrometheusContentType>() : new Registry()
  const metrics = metricsIn(registry)
  collectDefaultMetrics({ register: registry })
  // `promtool check metrics` refuses gauges named like counters.
  for (const kind of ['resources', 'handles', 'requests']) registry.removeSingleMetric(`nodejs_active_${kind}_total`)
  if (cluster.isWorker) {
    // One series for each worker, because a sum would fall when a worker exits, like a counter that was reset.
    registry.setDefaultLabels({ worker: String(cluster.worker?.id) })
    AggregatorRegistry.setRegistries([registry])
    return TE.right({ metrics, url: undefined, stop: () => Promise.resolve() })
  }
  return pipe(
    metricsServer(() => registry.metrics(), address),
    TE.map(({ url, stop }) => ({ metrics, url, stop: () => stop({ drainMs: 0, quietMs: 0, stopMs: 1_000 }) })),
  )
}

/** Serves the metrics of all workers, in their primary. */
export const exposeWorkers = (address: Address): TE.TaskEither<string, RunningServer> => {
  const workers = new AggregatorRegistry<PrometheusContentType>()
  return metricsServer(() => workers.clusterMetrics(), address)
}
