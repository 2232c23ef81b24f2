import { type Area, Failure, type Listing, type OpenedFile, type Signal, type StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type { RequestContext } from './http/RequestContext.js'
import type { ReadingSlots } from './limits/admission.js'
import type { Metrics } from './observe/prometheus.js'
import { type AllPorts, type PortCall, type PortResult, runCall, type ServicePorts, withTimeout } from './ports.js'
import { askedAt } from './sharedStorage.js'

export interface PortCallEnv {
  readonly ports: ServicePorts
  /** How long one call may take, in milliseconds. */
  readonly portMs: number
  readonly readingSlots: ReadingSlots
  /** Returns the network or FUSE mounts on the way to this directory; `undefined` if it is local. */
  readonly mountOf: (area: Area.Area, path: StoragePath.StoragePath) => string | undefined
  readonly metrics?: Metrics | undefined
}

/** The failure of a storage call without a reading slot. Its request is `overloaded`. */
export const noReadingSlot = Failure.external(new Error('too many requests read the same area or mount'))

/** Acquires a slot with the first storage call of a request. The server releases it when the operation ends. */
const hasSlot = (context: RequestContext, call: PortCall, { mountOf, readingSlots }: PortCallEnv): boolean => {
  if ((call.port !== 'nodeAt' && call.port !== 'list' && call.port !== 'openFile') || context.slot !== undefined)
    return true
  const [area, path] = call.args
  const slot = mountOf(area, path) ?? area.location
  // After a timeout, acquire no slot: it would never be released.
  if (context.hasOperationEnded || !readingSlots.acquire(slot)) return false
  context.slot = slot
  return true
}

/** Closes the file of a call of `openFile` with its request at the latest, also if the file comes after the time limit. */
const closedWithRequest =
  (signal: Signal, open: PortResult): PortResult =>
  async () => {
    const opened = await open()
    if (E.isLeft(opened)) return opened
    // The result of `openFile`.
    const file = opened.right as OpenedFile
    const close = async (): Promise<void> => {
      signal.removeEventListener('abort', close)
      await file.close()
    }
    if (signal.aborted) await close()
    else signal.addEventListener('abort', close)
    const { size, last_modified, version } = file
    return E.right({ size, last_modified, version, bytes: file.bytes.bind(file), close } satisfies OpenedFile)
  }

/**
 * Runs one port call of a request within a reading slot, a span and a time limit. Then updates the metrics, the age of the
 * response and the record for the response cache. Built once, for all requests.
 */
const portCall =
  (env: PortCallEnv) =>
  (context: RequestContext, call: PortCall): PortResult =>
  async () => {
    const { ports, portMs, metrics } = env
    if (!hasSlot(context, call, env)) return E.left(noReadingSlot)
    const endSpan = context.startCall?.(call.port)
    const startedAt = performance.now()
    const calling = runCall(ports, call)
    const isOpening = call.port === 'openFile'
    const result = await withTimeout(
      call.port,
      portMs,
      isOpening ? closedWithRequest(context.signal, calling) : calling,
    )()
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

/** Returns the ports that an operation of this request calls. */
export const portsOfRequest = (env: PortCallEnv): ((context: RequestContext) => AllPorts) => {
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
