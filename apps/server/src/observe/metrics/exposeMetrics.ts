import cluster from 'node:cluster'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Registry } from 'prom-client'
import type { Listening } from '../../connection/listen.js'
import { saidForMetrics, whyNotListening } from '../../connection/whyNotListening.js'
import { answerPrimary } from './answerPrimary.js'
import type { Metrics } from './Metrics.js'
import { metricsIn } from './metricsIn.js'
import { metricsOfWorkers } from './metricsOfWorkers.js'
import { type MetricsAddress, metricsServer } from './metricsServer.js'
import { processMetrics } from './processMetrics.js'

export interface Exposed {
  readonly metrics: Metrics
  /** Where they can be read; `undefined` in a worker, whose primary serves the metrics of all. */
  readonly url: string | undefined
  readonly stop: () => Promise<unknown>
}

/** Nobody waits for who reads metrics, in milliseconds. */
const atOnce = { drainMs: 0, quietMs: 0, stopMs: 1_000 }

const serve = (collect: () => Promise<string>, address: MetricsAddress): TE.TaskEither<string, Listening> =>
  pipe(
    metricsServer(collect, address),
    TE.mapLeft(
      (error) => `cannot serve metrics on ${address.host}:${address.port}: ${whyNotListening(error, saidForMetrics)}`,
    ),
  )

/** Metrics of this process, and a way to read them. `left` says what stands in the way. */
export const exposeMetrics = (address: MetricsAddress): TE.TaskEither<string, Exposed> => {
  const registry = new Registry()
  const metrics = metricsIn(registry)
  processMetrics(registry)
  if (cluster.isWorker) {
    answerPrimary(registry, process)
    return TE.right({ metrics, url: undefined, stop: () => Promise.resolve() })
  }
  return pipe(
    serve(() => registry.metrics(), address),
    TE.map(({ url, stop }) => ({ metrics, url, stop: () => stop(atOnce) })),
  )
}

/** In a primary: the metrics of all workers together. */
export const exposeWorkers = (address: MetricsAddress): TE.TaskEither<string, Listening> =>
  serve(metricsOfWorkers(cluster), address)
