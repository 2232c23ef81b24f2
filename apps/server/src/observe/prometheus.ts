import type { Failure, fileOperations, Listing, operations } from '@canopy/domain'
import { HttpError, Route } from '@canopy/http'
import type { CacheFigures } from '@canopy/storage-fs'
import type * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Download } from '../http/HttpResponse.js'
import type { AllPorts } from '../ports.js'

/** How a request ended. Every field has a closed set of values, independent of the client's text. */
export interface RequestEnd {
  /** `none` outside the operations, and for a request that was refused before the router. */
  readonly operation: Route.Operation | Route.FileRoute | 'none'
  /** `none` if the client left before the response began. */
  readonly status: number | 'none'
  /** `cut`: the server cut the response without a failure of storage or registry. */
  readonly failure: HttpError.HttpErrorName | 'cut' | 'none'
  /** False if the connection was gone before the response was sent. */
  readonly complete: boolean
}

/**
 * Creates the service's own metrics in a registry. docs/metrics.md explains each, in this order. The server reports events; figures
 * that a part keeps itself (readiness, the listing cache) are collected at each scrape.
 */
export const metricsIn = (registry: Registry) => {
  const metricsOf = factory(registry)
  return {
    ...requestMetrics(metricsOf),
    ...connectionMetrics(metricsOf),
    ...contentMetrics(metricsOf),
    ...fileMetrics(metricsOf),
    ...portMetrics(metricsOf),
    ...readyMetric(metricsOf),
    ...responseCacheMetrics(metricsOf),
    ...listingCacheMetrics(metricsOf),
  }
}

export type Metrics = ReturnType<typeof metricsIn>

/** In seconds, from a tenth of a millisecond. */
const buckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const factory = (registry: Registry) => {
  const registers = [registry]
  return {
    registers,
    counter: (name: string, help: string, labelNames: Array<string> = []) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: (name: string, help: string) => new Gauge({ name, help, registers }),
    histogram: (name: string, help: string, label: string) =>
      new Histogram({ name, help, labelNames: [label], buckets, registers }),
  }
}

type Factory = ReturnType<typeof factory>

type Programs = typeof operations & typeof fileOperations

type FailureOf<Name extends keyof Programs> =
  ReturnType<Programs[Name]> extends RTE.ReaderTaskEither<never, infer F extends Failure.Failure, unknown>
    ? F['error']
    : never

type PortFailureOf<Port extends keyof AllPorts> =
  ReturnType<AllPorts[Port]> extends TE.TaskEither<infer F extends Failure.Failure, unknown> ? F['error'] : never

const storageFailures = { 'file not found': null, 'type mismatch': null, external: null }
const triggerFailures = { 'trigger not found': null, external: null }
const nodeFailures = { 'permission denied': null, ...storageFailures }
const tokenFailures = { 'invalid token': null, 'not verified': null, ...nodeFailures }

const operationFailures: {
  readonly [Name in Route.Operation | Route.FileRoute]: { readonly [F in FailureOf<Name>]: null }
} = {
  storageTree: tokenFailures,
  userContentTree: nodeFailures,
  storageDirItems: tokenFailures,
  userContentDirItems: nodeFailures,
  triggerPeek: triggerFailures,
  storageFile: tokenFailures,
  userContentFile: nodeFailures,
}

const portFailures: { readonly [Port in keyof AllPorts]: { readonly [F in PortFailureOf<Port>]: null } } = {
  areaOfToken: { 'invalid token': null, 'not verified': null, external: null },
  areaOfUser: { 'permission denied': null, external: null },
  settingsOf: { external: null },
  nodeAt: storageFailures,
  list: storageFailures,
  openFile: storageFailures,
  triggerOf: triggerFailures,
}

const namesIn = (failures: object): ReadonlyArray<HttpError.HttpErrorName> =>
  Object.keys(failures) as Array<HttpError.HttpErrorName>

const failuresOfEveryOperation: ReadonlyArray<HttpError.HttpErrorName> = [
  'bad request',
  'too many requests',
  'overloaded',
]
const failuresOfNoOperation: ReadonlyArray<HttpError.HttpErrorName> = [
  'no such route',
  'method not allowed',
  'bad request',
  'overloaded',
]

/** The labels of responses that alerts count, because an alert on a rate needs the series before its first increase. */
const foreseeable = [
  ...Object.entries(operationFailures).flatMap(([operation, failures]) => [
    { operation, status: 200, failure: 'none' },
    { operation, status: 200, failure: 'cut' },
    { operation, status: 304, failure: 'none' },
    ...[...namesIn(failures), ...failuresOfEveryOperation].map((failure) => ({
      operation,
      status: HttpError.statuses[failure],
      failure,
    })),
  ]),
  ...Object.keys(Route.fileRoutes).flatMap((operation) => [
    { operation, status: 206, failure: 'none' },
    { operation, status: 206, failure: 'cut' },
    { operation, status: 413, failure: 'too large' },
    { operation, status: 416, failure: 'bad request' },
  ]),
  ...failuresOfNoOperation.map((failure) => ({ operation: 'none', status: HttpError.statuses[failure], failure })),
]

const requestMetrics = ({ counter, gauge, histogram }: Factory) => {
  const requests = counter('canopy_requests_total', 'Requests by operation, HTTP status and name of the failure.', [
    'operation',
    'status',
    'failure',
  ])
  const seconds = histogram(
    'canopy_request_duration_seconds',
    'Seconds from receiving the request headers to the last byte of the response.',
    'operation',
  )
  const aborted = counter(
    'canopy_requests_aborted_total',
    'Requests whose connection closed before the response was complete.',
    ['operation'],
  )
  const inFlight = gauge('canopy_requests_in_flight', 'Requests in flight.')
  const admitted = gauge(
    'canopy_requests_admitted',
    'Admitted requests in progress, including those whose clients have disconnected.',
  )
  const cutUnread = counter(
    'canopy_unread_responses_cut_total',
    'Requests cut because unread responses took too much memory.',
  )
  for (const labels of foreseeable) requests.inc(labels, 0)
  for (const operation of [...Object.keys(operationFailures), 'none']) {
    seconds.zero({ operation })
    aborted.inc({ operation }, 0)
  }
  return {
    began: (): void => inFlight.inc(),
    /** Call it when the response is sent or its connection gone. */
    ended: ({ operation, status, failure, complete }: RequestEnd, tookMs: number): void => {
      inFlight.dec()
      seconds.observe({ operation }, tookMs / 1000)
      requests.inc({ operation, status, failure })
      if (!complete) aborted.inc({ operation })
    },
    setAdmitted: (count: number): void => admitted.set(count),
    /** A request was cut, because unread responses took too much memory. */
    cutUnread: (): void => cutUnread.inc(),
  }
}

const connectionMetrics = ({ counter }: Factory) => {
  const refused = counter('canopy_connections_refused_total', 'Connections refused because too many are open.')
  const failedAccepts = counter(
    'canopy_accept_failures_total',
    'Connections refused because no file descriptors were available.',
  )
  return {
    refusedConnection: (): void => refused.inc(),
    failedAccept: (): void => failedAccepts.inc(),
  }
}

const contentMetrics = ({ counter }: Factory) => {
  const nodes = counter('canopy_nodes_written_total', 'Tree nodes and listing items written.')
  const unlistable = counter('canopy_unlistable_names_total', 'Names omitted because they are not valid UTF-8.')
  const unknown = counter('canopy_unreadable_entries_total', 'Directory entries that could not be examined.')
  const unreadable = counter(
    'canopy_unreadable_directories_total',
    'Directories not expanded because they could not be read.',
  )
  return {
    wroteNodes: (count: number): void => nodes.inc(count),
    sawListing: (listing: Pick<Listing.Listing, 'unlistable' | 'unknown'>): void => {
      if (listing.unlistable > 0) unlistable.inc(listing.unlistable)
      if (listing.unknown !== undefined) unknown.inc(listing.unknown.names.length)
    },
    sawUnreadable: (): void => unreadable.inc(),
  }
}

const fileMetrics = ({ counter, gauge }: Factory) => {
  const inProgress = gauge('canopy_downloads_in_progress', 'Downloads in progress.')
  const begun = counter('canopy_downloads_total', 'Downloads started, by kind.', ['kind'])
  const bytes = counter('canopy_file_bytes_total', 'Bytes of files sent.')
  for (const kind of ['file', 'range', 'archive']) begun.inc({ kind }, 0)
  return {
    beganDownload: (kind: Download['kind']): void => {
      begun.inc({ kind })
      inProgress.inc()
    },
    endedDownload: (): void => inProgress.dec(),
    sentFileBytes: (count: number): void => bytes.inc(count),
  }
}

const portMetrics = ({ counter, histogram }: Factory) => {
  const seconds = histogram(
    'canopy_port_duration_seconds',
    'Duration of a registry or storage port call, in seconds.',
    'port',
  )
  const failures = counter('canopy_port_failures_total', 'Failed port calls, by name of the failure.', [
    'port',
    'failure',
  ])
  for (const [port, names] of Object.entries(portFailures)) {
    seconds.zero({ port })
    for (const failure of namesIn(names)) failures.inc({ port, failure }, 0)
  }
  return {
    portAnswered: (port: keyof AllPorts, tookSeconds: number, failure: HttpError.HttpErrorName | 'none'): void => {
      seconds.observe({ port }, tookSeconds)
      if (failure !== 'none') failures.inc({ port, failure })
    },
  }
}

type WatchedParts = () => Promise<ReadonlyArray<readonly [part: string, isReady: boolean]>>

const noParts: WatchedParts = async () => []

const readyMetric = ({ registers }: Factory) => {
  let parts = noParts
  const ready = new Gauge({
    name: 'canopy_ready',
    help: 'Whether a part of the service is ready, as in /readyz: 1 or 0.',
    labelNames: ['part'],
    registers,
    // Each scrape checks the parts, because alerts must not depend on calls of `/readyz`.
    async collect() {
      for (const [part, isReady] of await parts()) ready.set({ part }, isReady ? 1 : 0)
    },
  })
  return {
    watchParts: (watched: WatchedParts): void => {
      parts = watched
    },
  }
}

const noFigures = (): Partial<CacheFigures> => ({})

const responseCacheMetrics = ({ counter }: Factory) => {
  const hits = counter('canopy_response_cache_hits_total', 'Responses served from the response cache.')
  return { servedCachedResponse: (): void => hits.inc() }
}

const listingCacheMetrics = ({ registers }: Factory) => {
  let figures = noFigures
  const metric = (kind: typeof Counter | typeof Gauge, name: string, help: string, figure: keyof CacheFigures) =>
    new kind({
      name: `canopy_listing_cache_${name}`,
      help,
      registers,
      // The cache counts its own events.
      collect() {
        this.reset()
        this.inc(figures()[figure] ?? 0)
      },
    })
  metric(Gauge, 'bytes', 'Bytes of cached listings and their watches.', 'bytes')
  metric(Gauge, 'watches', 'Directories watched for changes.', 'watches')
  metric(
    Counter,
    'hits_total',
    'Calls to `list` answered from the listing cache, including checks of cached responses.',
    'hits',
  )
  metric(Counter, 'misses_total', 'Calls to `list` that read the directory.', 'misses')
  metric(Counter, 'evictions_total', 'Cached listings evicted.', 'evictions')
  return {
    watchCache: (watched: () => CacheFigures): void => {
      figures = watched
    },
  }
}
