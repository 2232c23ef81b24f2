import { type Area, Failure, type Listing, type OpenedFile, type Signal, type StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as IO from 'fp-ts/lib/IO.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ReadingSlots, RequestSlot } from './limits/ReadingSlots.js'
import type { StartCall } from './observe/openTelemetry.js'
import type { Metrics } from './observe/prometheus.js'
import { type AllPorts, type PortCall, type PortResult, runCall, type ServicePorts } from './ports.js'
import type { Recording } from './Recording.js'
import { askedAt } from './sharedStorage.js'
import { withTimeout } from './timeout.js'

export interface PortCallEnv {
  readonly ports: ServicePorts
  /** How long one call may take, in milliseconds. */
  readonly portMs: number
  readonly readingSlots: ReadingSlots
  /** See `ForeignMountOf` of storage-fs. */
  readonly mountOf: (area: Area.Area, path: StoragePath.StoragePath) => string | undefined
  readonly metrics?: Metrics | undefined
}

/** The part of a request's context that its port calls read and update. */
export interface CallContext {
  readonly signal: Signal
  /** Starts the span of a port call; `undefined` if the request is not traced. */
  readonly startCall: StartCall | undefined
  /** Records the port calls of a response that may be cached; `undefined` if it may not. */
  recording: Recording | undefined
  /** Restarts the limit on the first byte, because each page of a storage is progress. */
  readonly restartTimeout: (() => void) | undefined
  slot: RequestSlot
  /** The start of the oldest storage call in use, by `performance.now()`, if older answers are allowed. */
  storageAskedAt: number | undefined
  /** The last file that the request has opened. */
  file: OpenedFile | undefined
}

/** Returns the ports that an operation of this request calls. */
export const portsOfRequest = (env: PortCallEnv): ((context: CallContext) => AllPorts) => {
  const callPort = portCall(env)
  return (context) => {
    // The cast is safe: the arguments and the result are those of the port itself.
    const port = <Port extends keyof AllPorts>(name: Port): AllPorts[Port] =>
      ((...args: PortCall['args']) => callPort(context, { port: name, args } as PortCall)) as unknown as AllPorts[Port]
    return {
      areaOfToken: port('areaOfToken'),
      areaOfUser: port('areaOfUser'),
      settingsOf: port('settingsOf'),
      nodeAt: port('nodeAt'),
      list: port('list'),
      openFile: port('openFile'),
      triggerOf: port('triggerOf'),
    }
  }
}

/**
 * Runs one port call of a request within a span and a time limit; the first call to the storage acquires the reading slot. Then
 * updates the metrics, the age of the response and the record for the response cache. Built once, for all requests.
 */
const portCall =
  (env: PortCallEnv) =>
  (context: CallContext, call: PortCall): PortResult =>
  async () => {
    const { ports, portMs, metrics } = env
    if (!acquireSlot(context, call, env)) return E.left(noSlot)
    const endSpan = context.startCall?.(call.port)
    const startedAt = performance.now()
    const calling = runCall(ports, call)
    const task = call.port === 'openFile' ? pipe(calling, TE.tapIO(closeWithRequest(context))) : calling
    const result = await withTimeout(call.port, portMs, task)()
    // If the client has left, the storage is not the cause of the failure.
    const isCancelled = context.signal.aborted && (call.port === 'list' || call.port === 'nodeAt')
    const failure = E.isLeft(result) && !isCancelled ? result.left.error : 'none'
    metrics?.portAnswered(call.port, (performance.now() - startedAt) / 1000, failure)
    if (E.isRight(result)) {
      if (call.port === 'list') {
        const listing = result.right as Listing.Listing
        metrics?.sawListing(listing)
        if (listing.next !== undefined) context.restartTimeout?.()
      }
      const time = askedAt.get(result.right)
      if (time !== undefined) context.storageAskedAt = Math.min(time, context.storageAskedAt ?? time)
    }
    context.recording?.add(call, result)
    endSpan?.(result)
    return result
  }

/** The client receives `overloaded`: see `operationRunner` of app.ts. */
const noSlot = Failure.external(new Error('too many concurrent reads of one area or mount'))

/**
 * Acquires a reading slot at the first storage call of a request. Returns false if the request is refused. The response to a request
 * that reads a mount, even below the requested path, is not cached.
 */
const acquireSlot = (context: CallContext, call: PortCall, { mountOf, readingSlots }: PortCallEnv): boolean => {
  if (call.port !== 'nodeAt' && call.port !== 'list' && call.port !== 'openFile') return true
  const [area, path] = call.args
  const mount = mountOf(area, path)
  // A check of a cached response takes no slot, so a mount that hangs would hold every request.
  if (mount !== undefined) context.recording = undefined
  if (context.slot.is !== 'unused') return context.slot.is !== 'refused'
  context.slot = readingSlots.acquire(mount ?? area.location)
  return context.slot.is === 'held'
}

/**
 * Closes the file of a call of `openFile` with its request at the latest, also if the file comes after the time limit. A request closes
 * each file before it opens the next.
 */
const closeWithRequest =
  (context: CallContext) =>
  (opened: object): IO.IO<void> =>
  () => {
    const isFirst = context.file === undefined
    context.file = opened as OpenedFile
    if (context.signal.aborted) void context.file.close()
    else if (isFirst) context.signal.addEventListener('abort', () => void context.file?.close())
  }
