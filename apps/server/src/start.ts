import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '@canopy/domain'
import { openRegistry, type Registry, type Unavailable } from '@canopy/registry'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Logger } from 'pino'
import type { Config } from './config.js'
import type { StopTimeouts } from './http/connections.js'
import { listen, mayListen } from './http/listen.js'
import { failedLookups } from './limits/failedLookups.js'
import { reportAcceptErrors } from './observe/connectionReports.js'
import { serverReadiness } from './observe/health.js'
import type { Exposed } from './observe/metricsServer.js'
import { openMetrics, openTracing } from './observe/openObservers.js'
import type { Tracing } from './observe/openTelemetry.js'
import { server } from './server.js'
import { SettingsSeen } from './sharedStorage.js'
import { openStorage, type Storage, unreadable } from './storage.js'
import { documentPage, webPages } from './webPages.js'

/** A listening service. */
interface Service {
  readonly url: string
  /** Makes `/readyz` respond that the service is draining. */
  readonly announceStop: () => void
  /** Finishes the responses in flight, then closes everything. Resolves with the number of responses that were cut. */
  readonly stop: (timeouts: StopTimeouts) => Promise<number>
}

// A reader process of storage-fs has 24 s. Each limit is below the next one, so that the log names the innermost failure.

/** Limit on a port call, in milliseconds. Eight concurrent listings of 200,000 files take 23 s on a local disk. */
export const portMs = 25_000

/** From a request to the first byte of its response, in milliseconds. */
export const firstByteMs = 30_000

/** No client is cut for reading slowly within this time, in milliseconds. */
const patienceMs = 5_000

/**
 * Limit on closing one part, in milliseconds, because a lost connection or a foreign module must not delay the exit. There are four
 * parts, one after the other; see `exitMs` in cluster.ts.
 */
const closeMs = 1_100

/** Returns a registry that each call tries to open, until that succeeds. */
const lazyRegistry = (open: TE.TaskEither<Unavailable, Registry>): Registry => {
  let opening: ReturnType<typeof open> | undefined
  const opened: typeof open = async () => {
    opening ??= open()
    const result = await opening
    if (E.isLeft(result)) opening = undefined
    return result
  }
  const call = <L, A>(run: (registry: Registry) => TE.TaskEither<L, A>): TE.TaskEither<L | Failure.External, A> =>
    pipe(
      opened,
      TE.mapLeft(({ message }) => Failure.external(new Error(message))),
      TE.flatMap(run),
    )
  return {
    areaOfToken: (token) => call(({ areaOfToken }) => areaOfToken(token)),
    areaOfUser: (user) => call(({ areaOfUser }) => areaOfUser(user)),
    settingsOf: (user) => call(({ settingsOf }) => settingsOf(user)),
    triggerOf: (id) => call(({ triggerOf }) => triggerOf(id)),
    close: async () => {
      const result = await opening
      if (result !== undefined && E.isRight(result)) await result.right.close()
    },
  }
}

/** Lets the service start without a part that fails, if it may start unready. */
const orUnready = <A>(part: string, later: A, mayBeUnready: boolean, log: Logger) =>
  TE.orElse((cause: string): TE.TaskEither<string, A> => {
    if (!mayBeUnready) return TE.left(cause)
    log.warn({ part, cause }, 'not ready')
    return TE.right(later)
  })

const messageOf = ({ message }: Unavailable): string => message

/** Opens the registry. Only PostgreSQL may be opened later: it recovers by itself, and a missing or damaged file does not. */
const openRegistryOf = (
  { installation }: Config,
  log: Logger,
  mayBeUnready: boolean,
): TE.TaskEither<string, Registry> => {
  const url = installation.registry
  const open = openRegistry(url)
  return pipe(
    open,
    TE.mapLeft(messageOf),
    orUnready('registry', lazyRegistry(open), mayBeUnready && url.engine === 'PostgreSQL', log),
  )
}

/** Closes everything that was opened, the latest first. */
class Closers {
  readonly #closers: Array<() => unknown> = []

  /** Runs `open`. `closeAll` will close its result. */
  opening<E, A>(open: TE.TaskEither<E, A>, close: (a: A) => unknown): TE.TaskEither<E, A> {
    return pipe(
      open,
      TE.tapIO((a) => () => this.#closers.unshift(() => close(a))),
    )
  }

  async closeAll(): Promise<void> {
    for (const close of this.#closers)
      await Promise.race([
        Promise.resolve()
          .then(close)
          .catch(() => undefined),
        sleep(closeMs),
      ])
  }
}

/**
 * Opens registry and storage, and listens. `left` says what prevents it and what to do. With `mayBeUnready` a storage or a
 * registry that does not answer prevents nothing.
 */
export const start = (config: Config, log: Logger, mayBeUnready: boolean): TE.TaskEither<string, Service> => {
  const closers = new Closers()
  return pipe(
    TE.Do,
    TE.bind('storage', () => closers.opening(openStorage(config.installation.storage), (storage) => storage.close())),
    TE.tap(({ storage }) => pipe(storage.startable, orUnready<void>('storage', undefined, mayBeUnready, log))),
    TE.bind('registry', () =>
      closers.opening(openRegistryOf(config, log, mayBeUnready), (registry) => registry.close()),
    ),
    TE.bind('exposed', () => closers.opening(openMetrics(config, log), (exposed) => exposed?.stop())),
    TE.bind('tracing', () => closers.opening(openTracing(config, log), (tracing) => tracing?.stop())),
    TE.flatMap((parts) => listenWith(config, log, parts)),
    TE.map((service) => ({
      ...service,
      stop: async (timeouts: StopTimeouts) => {
        const cut = await service.stop(timeouts)
        await closers.closeAll()
        return cut
      },
    })),
    TE.orElseFirstTaskK(() => () => closers.closeAll()),
  )
}

interface Parts {
  readonly storage: Storage
  readonly registry: Registry
  readonly exposed: Exposed | undefined
  readonly tracing: Tracing | undefined
}

const listenWith = (
  config: Config,
  log: Logger,
  { storage, registry, exposed, tracing }: Parts,
): TE.TaskEither<string, Service> => {
  const metrics = exposed?.metrics
  const { host, port, basePath } = config.installation
  const readiness = serverReadiness(registry, storage.reachable, log)
  const settingsSeen = new SettingsSeen()
  metrics?.watchParts(readiness.parts)
  const service = server({
    ports: {
      // All members are its own properties, which a spread copies.
      ...registry,
      // Settings are observed only if older answers are allowed.
      settingsOf: config.maxAgeMs === 0 ? registry.settingsOf : settingsSeen.observing(registry.settingsOf),
      ...storage.ports(config, { log, metrics, settingsSeen }),
    },
    ...(metrics && { metrics }),
    ...(tracing && { tracing }),
    log,
    readiness,
    mountOf: storage.mountOf,
    treeNodes: config.treeNodes,
    limitLookups: failedLookups({ perMinute: config.failedLookups, trustedProxies: config.trustedProxies }),
    files: config.files ? { maxDownloads: config.maxDownloads } : undefined,
    firstByteMs,
    answerMs: config.answerMs,
    portMs,
    connections: {
      maxConnections: config.maxConnections,
      idleMs: config.idleMs,
      onAcceptError: reportAcceptErrors(log, metrics === undefined ? {} : { metrics }),
    },
    maxAdmitted: config.maxInFlight,
    unread: { bytes: config.unreadBytes, patienceMs },
    cacheBytes: storage.responseCacheBytes(config.cacheBytes),
    basePath,
    loopbackOnly: config.loopbackOnly,
    pages: [documentPage, webPages(config.explorer, basePath)],
  })
  return pipe(
    listen(service, { host, port }),
    // Logs a part that is not ready.
    TE.tapIO(() => () => void readiness.verdict()),
    TE.map(({ url, stop }) => ({ url: url + basePath, announceStop: readiness.announceStop, stop })),
  )
}

/** Opens registry and storage without serving them. `left` lists every problem that prevents a start. */
export const check = ({ installation, metrics, files }: Config): TE.TaskEither<ReadonlyArray<string>, unknown> =>
  pipe(
    [
      mayListen(installation, 'CANOPY'),
      ...pipe(
        RA.fromOption(metrics),
        RA.map((address) => mayListen(address, 'CANOPY_METRICS')),
      ),
      pipe(
        openRegistry(installation.registry),
        TE.mapLeft(messageOf),
        TE.tapTask(({ close }) => close),
      ),
      pipe(
        openStorage(installation.storage),
        TE.flatMap(({ reachable, filesReadable, close }) =>
          pipe(
            reachable,
            TE.flatMap(() => (files && filesReadable) || TE.right(undefined)),
            T.tap(() => async () => close()),
            TE.mapLeft(unreadable),
          ),
        ),
      ),
    ],
    RA.map(TE.mapLeft(RA.of)),
    RA.sequence(TE.getApplicativeTaskValidation(T.ApplicativeSeq, RA.getSemigroup<string>())),
  )
