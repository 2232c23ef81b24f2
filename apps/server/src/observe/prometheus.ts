import type { Failure, operations } from '@canopy/domain'
import type { CacheFigures } from '@canopy/storage-fs'
import type * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { statuses } from '../http/answers.js'
import type { RefusalName } from '../http/Refusal.js'
import { portFailures } from '../ports.js'
import type { Operation } from '../routes.js'
import type { Ended, Metrics } from './Metrics.js'

type OfOperation<Op extends Operation> =
  ReturnType<(typeof operations)[Op]> extends RTE.ReaderTaskEither<never, infer F extends Failure.Failure, unknown>
    ? F['error']
    : never

type Names<Name extends string> = { readonly [N in Name]: null }

const onNode = { 'permission denied': null, 'file not found': null, 'type mismatch': null, external: null }
const byToken = { 'invalid token': null, 'not verified': null, ...onNode }

const operationFailures: { readonly [Op in Operation]: Names<OfOperation<Op>> } = {
  storageTree: byToken,
  userContentTree: onNode,
  storageDirItems: byToken,
  userContentDirItems: onNode,
  triggerPeek: { 'trigger not found': null, external: null },
}

const namesIn = (failures: object): ReadonlyArray<RefusalName> => Object.keys(failures) as Array<RefusalName>

const ofEveryOperation: ReadonlyArray<RefusalName> = ['bad request', 'too many requests', 'overloaded']
const ofNoOperation: ReadonlyArray<RefusalName> = ['no such route', 'method not allowed', 'bad request', 'overloaded']

/** The labels of every answer that can be foreseen: an alert on a rate needs the series before its first increase. */
const foreseen = [
  ...Object.entries(operationFailures).flatMap(([operation, failures]) => [
    { operation, status: 200, failure: 'none' },
    { operation, status: 304, failure: 'none' },
    ...[...namesIn(failures), ...ofEveryOperation].map((failure) => ({
      operation,
      status: statuses[failure],
      failure,
    })),
  ]),
  ...ofNoOperation.map((failure) => ({ operation: 'none', status: statuses[failure], failure })),
]

/** In seconds, from a tenth of a millisecond. */
const buckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const noCache: CacheFigures = { bytes: 0, watches: 0, hits: 0, misses: 0, evictions: 0 }

/** The cache of listings counts by itself: its figures are read when they are scraped. */
const cacheMetrics = (registers: Array<Registry>): Metrics['watchCache'] => {
  let figuresNow: (() => CacheFigures) | undefined
  const gauge = (name: string, help: string, figure: (figures: CacheFigures) => number): Gauge =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(figure(figuresNow?.() ?? noCache))
      },
    })
  const counter = (name: string, help: string, figure: (figures: CacheFigures) => number): Counter =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(figure(figuresNow?.() ?? noCache))
      },
    })
  gauge('canopy_listing_cache_bytes', 'Bytes that cached listings and their watches take, now.', ({ bytes }) => bytes)
  gauge('canopy_listing_cache_watches', 'Directories that are watched for changes, now.', ({ watches }) => watches)
  counter('canopy_listing_cache_hits_total', 'Questions for a listing answered from memory.', ({ hits }) => hits)
  counter('canopy_listing_cache_misses_total', 'Questions for a listing not in memory.', ({ misses }) => misses)
  counter(
    'canopy_listing_cache_evictions_total',
    'Cached listings that made room for others.',
    ({ evictions }) => evictions,
  )
  return (figures) => {
    figuresNow = figures
  }
}

/** The service's own metrics, in a registry. What each means: docs/metrics.md. */
export const metricsIn = (registry: Registry): Metrics => {
  const registers = [registry]
  const requests = new Counter({
    name: 'canopy_requests_total',
    help: 'Requests answered, by operation, HTTP status and name of the failure.',
    labelNames: ['operation', 'status', 'failure'],
    registers,
  })
  const requestSeconds = new Histogram({
    name: 'canopy_request_duration_seconds',
    help: 'Seconds from the head of a request to the last byte of its answer.',
    labelNames: ['operation'],
    buckets,
    registers,
  })
  const aborted = new Counter({
    name: 'canopy_requests_aborted_total',
    help: 'Requests whose connection was gone before their answer was out.',
    labelNames: ['operation'],
    registers,
  })
  const inFlight = new Gauge({
    name: 'canopy_requests_in_flight',
    help: 'Requests whose answers are not out yet, now.',
    registers,
  })
  const places = new Gauge({
    name: 'canopy_requests_admitted',
    help: 'Requests that are being worked on or queued, those whose clients have left included.',
    registers,
  })
  const cut = new Counter({
    name: 'canopy_requests_cut_total',
    help: 'Requests cut because answers that clients had not read took too much memory.',
    registers,
  })
  const refused = new Counter({
    name: 'canopy_connections_refused_total',
    help: 'Connections closed at once because too many are open.',
    registers,
  })
  const nodes = new Counter({
    name: 'canopy_nodes_written_total',
    help: 'Tree nodes and listing items put into answers.',
    registers,
  })
  const unlistable = new Counter({
    name: 'canopy_unlistable_names_total',
    help: 'Names left out of directories that were read, because they are not valid UTF-8.',
    registers,
  })
  const unknown = new Counter({
    name: 'canopy_unreadable_entries_total',
    help: 'Entries of directories that were read which could not be looked at.',
    registers,
  })
  const unreadable = new Counter({
    name: 'canopy_unreadable_directories_total',
    help: 'Directories that trees left unexpanded because they could not be read.',
    registers,
  })
  const portSeconds = new Histogram({
    name: 'canopy_port_duration_seconds',
    help: 'Seconds that one call of a port of the registry or the storage took.',
    labelNames: ['port'],
    buckets,
    registers,
  })
  const failedCalls = new Counter({
    name: 'canopy_port_failures_total',
    help: 'Calls of a port that failed, by name of the failure.',
    labelNames: ['port', 'failure'],
    registers,
  })
  const watchCache = cacheMetrics(registers)

  for (const labels of foreseen) requests.inc(labels, 0)
  for (const operation of [...Object.keys(operationFailures), 'none']) {
    requestSeconds.zero({ operation })
    aborted.inc({ operation }, 0)
  }
  for (const [port, failures] of Object.entries(portFailures)) {
    portSeconds.zero({ port })
    for (const failure of namesIn(failures)) failedCalls.inc({ port, failure }, 0)
  }

  return {
    began: () => {
      const started = performance.now()
      inFlight.inc()
      return ({ operation, status, failure, complete }: Ended) => {
        inFlight.dec()
        requestSeconds.observe({ operation }, (performance.now() - started) / 1000)
        requests.inc({ operation, status, failure })
        if (!complete) aborted.inc({ operation })
      }
    },
    tookPlaces: (count) => places.set(count),
    cut: () => cut.inc(),
    refusedConnection: () => refused.inc(),
    wroteNodes: (count) => nodes.inc(count),
    sawUnlistable: (count) => unlistable.inc(count),
    sawUnknown: (count) => unknown.inc(count),
    sawUnreadable: () => unreadable.inc(),
    portAnswered: (port, seconds, failure) => {
      portSeconds.observe({ port }, seconds)
      if (failure !== 'none') failedCalls.inc({ port, failure })
    },
    watchCache,
  }
}
