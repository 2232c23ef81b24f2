import type { Failure, Listing, operations } from '@canopy/domain'
import type { CacheFigures } from '@canopy/storage-fs'
import type * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { statuses } from '../http/answers.js'
import type { RefusalName } from '../http/Refusal.js'
import { type Ports, portFailures } from '../ports.js'
import type { Operation } from '../routes.js'

/** How a request ended. Values of closed sets only: whatever a client chooses stays out. */
export interface Ended {
  /** `none` for what is no operation. */
  readonly operation: Operation | 'none'
  /** `none` when the connection was gone before an answer began. */
  readonly status: number | 'none'
  /** `cut`: the server cut the answer without a failure of storage or registry. */
  readonly failure: RefusalName | 'cut' | 'none'
  /** False when the connection was gone before the answer was out. */
  readonly complete: boolean
}

type OfOperation<Op extends Operation> =
  ReturnType<(typeof operations)[Op]> extends RTE.ReaderTaskEither<never, infer F extends Failure.Failure, unknown>
    ? F['error']
    : never

const onNode = { 'permission denied': null, 'file not found': null, 'type mismatch': null, external: null }
const byToken = { 'invalid token': null, 'not verified': null, ...onNode }

const operationFailures: { readonly [Op in Operation]: { readonly [Name in OfOperation<Op>]: null } } = {
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
    { operation, status: 200, failure: 'cut' },
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

type WatchedParts = () => Promise<ReadonlyArray<readonly [part: string, isReady: boolean]>>

const noParts: WatchedParts = async () => []

const noFigures = (): CacheFigures => ({
  bytes: 0,
  watches: 0,
  listings: 0,
  inFlight: 0,
  hits: 0,
  misses: 0,
  evictions: 0,
})

/** The service's own metrics, in a registry. What each means: docs/metrics.md. */
export const metricsIn = (registry: Registry) => {
  const registers = [registry]
  const counter = (name: string, help: string, labelNames: Array<string> = []) =>
    new Counter({ name, help, labelNames, registers })
  const histogram = (name: string, help: string, label: string) =>
    new Histogram({ name, help, labelNames: [label], buckets, registers })

  const requests = counter(
    'canopy_requests_total',
    'Requests answered, by operation, HTTP status and name of the failure.',
    ['operation', 'status', 'failure'],
  )
  const requestSeconds = histogram(
    'canopy_request_duration_seconds',
    'Seconds from the head of a request to the last byte of its answer.',
    'operation',
  )
  const aborted = counter(
    'canopy_requests_aborted_total',
    'Requests whose connection was gone before their answer was out.',
    ['operation'],
  )
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
  const cut = counter(
    'canopy_requests_cut_total',
    'Requests cut because answers that clients had not read took too much memory.',
  )
  const refused = counter('canopy_connections_refused_total', 'Connections closed at once because too many are open.')
  const failedAccepts = counter(
    'canopy_accept_failures_total',
    'Connections closed at once because the process had no descriptor left for them.',
  )
  const nodes = counter('canopy_nodes_written_total', 'Tree nodes and listing items put into answers.')
  const unlistable = counter(
    'canopy_unlistable_names_total',
    'Names left out of directories that were read, because they are not valid UTF-8.',
  )
  const unknown = counter(
    'canopy_unreadable_entries_total',
    'Entries of directories that were read which could not be looked at.',
  )
  const unreadable = counter(
    'canopy_unreadable_directories_total',
    'Directories that trees left unexpanded because they could not be read.',
  )
  const portSeconds = histogram(
    'canopy_port_duration_seconds',
    'Seconds that one call of a port of the registry or the storage took.',
    'port',
  )
  const failedCalls = counter('canopy_port_failures_total', 'Calls of a port that failed, by name of the failure.', [
    'port',
    'failure',
  ])

  // Each scrape asks the parts: alerts must not depend on calls of `/readyz`.
  let partsNow = noParts
  const ready = new Gauge({
    name: 'canopy_ready',
    help: 'Whether a part that the service needs answers, as /readyz says; 1 or 0.',
    labelNames: ['part'],
    registers,
    async collect() {
      for (const [part, isReady] of await partsNow()) ready.set({ part }, isReady ? 1 : 0)
    },
  })

  // The cache of listings counts by itself: its figures are read when they are scraped.
  let cacheFigures: () => CacheFigures = noFigures
  const ofCache = (kind: typeof Counter | typeof Gauge, name: string, help: string, figure: keyof CacheFigures) =>
    new kind({
      name: `canopy_listing_cache_${name}`,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(cacheFigures()[figure])
      },
    })
  ofCache(Gauge, 'bytes', 'Bytes that cached listings and their watches take, now.', 'bytes')
  ofCache(Gauge, 'watches', 'Directories that are watched for changes, now.', 'watches')
  ofCache(Counter, 'hits_total', 'Questions for a listing answered from memory.', 'hits')
  ofCache(Counter, 'misses_total', 'Questions for a listing not in memory.', 'misses')
  ofCache(Counter, 'evictions_total', 'Cached listings that made room for others.', 'evictions')

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
    /** A request has come: call the result when its answer is out or its connection gone. */
    began: () => {
      const started = performance.now()
      inFlight.inc()
      return ({ operation, status, failure, complete }: Ended): void => {
        inFlight.dec()
        requestSeconds.observe({ operation }, (performance.now() - started) / 1000)
        requests.inc({ operation, status, failure })
        if (!complete) aborted.inc({ operation })
      }
    },
    /** How many requests are worked on or queued now. */
    tookPlaces: (count: number): void => places.set(count),
    /** A client was cut that had not read its answer, for the memory that it took. */
    cut: (): void => cut.inc(),
    /** A connection was closed at once, because too many are open. */
    refusedConnection: (): void => refused.inc(),
    /** A connection could not be accepted for lack of a descriptor. */
    failedAccept: (): void => failedAccepts.inc(),
    /** Tree nodes or listing items that have been put into an answer. */
    wroteNodes: (count: number): void => nodes.inc(count),
    /** A port gave a listing, in which names may be left out and entries unknown. */
    gaveListing: (listing: Listing.Listing): void => {
      if (listing.unlistable > 0) unlistable.inc(listing.unlistable)
      if (listing.unknown !== undefined) unknown.inc(listing.unknown.names.length)
    },
    /** A tree leaves a directory unexpanded because it cannot be read. */
    sawUnreadable: (): void => unreadable.inc(),
    /** A port has answered, after this time in seconds. */
    portAnswered: (port: keyof Ports, seconds: number, failure: RefusalName | 'none'): void => {
      portSeconds.observe({ port }, seconds)
      if (failure !== 'none') failedCalls.inc({ port, failure })
    },
    /** Each scrape asks these parts, as `/readyz` does. */
    watchParts: (parts: WatchedParts): void => {
      partsNow = parts
    },
    /** The cache of listings, whose figures are read at each scrape. */
    watchCache: (figures: () => CacheFigures): void => {
      cacheFigures = figures
    },
  }
}

/** What the server reports of its work. */
export type Metrics = ReturnType<typeof metricsIn>
