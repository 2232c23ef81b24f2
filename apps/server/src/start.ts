import { setTimeout as sleep } from 'node:timers/promises'
import type { ListEnv, NodeAtEnv } from '@canopy/domain'
import { openRegistry } from '@canopy/registry'
import { cachedListings, changeEvents, fsStorage, procIsMounted } from '@canopy/storage-fs'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Logger } from 'pino'
import type { StopBounds } from './connection/gracefulStop.js'
import { listen } from './connection/listen.js'
import { saidForAll, whyNotListening } from './connection/whyNotListening.js'
import { failedLookups } from './defence/failedLookups.js'
import { shed } from './defence/shed.js'
import { serveExplorer } from './explorer.js'
import { lineASecond } from './log/lineASecond.js'
import { isProbe, reasonOf, serverReadiness } from './observe/health.js'
import { observe, reportMalformed } from './observe/observe.js'
import type { ServerConfig } from './ServerConfig.js'
import { service } from './service.js'

/** A service that answers, until it is stopped. */
export interface Running {
  readonly url: string
  /** From now on whoever asks whether the service is ready hears no. */
  readonly notReady: () => void
  /** Finishes the requests in flight, then closes everything. Resolves with the number of connections that were cut. */
  readonly stop: (bounds: StopBounds) => Promise<number>
}

/** Ends a call that hangs. Listing 200,000 files on a local disk takes 2 s, eight such listings at
 * once 23 s: slow is not hanging. */
export const portTimeoutMs = 30_000

/**
 * One thread answers, one or two processes read, ten connections lead to a registry: what more began would only wait there.
 */
const atOnce = { most: 10, longMs: 100 }

/** A loop that is later than this has more work than time, in milliseconds. */
export const maxDelayMs = 200

/** What a registry may take to close, in milliseconds: a lost connection must not keep the process. */
const closingMs = 1_000

/** For how long nobody is cut for being slow, in milliseconds. */
const patienceMs = 5_000

/** Of the memory for what is kept; the listings have the rest. */
const answersShare = (keptBytes: number): number => Math.floor(keptBytes / 4)

const storageOf = ({ installation, keptBytes }: ServerConfig): NodeAtEnv & ListEnv => {
  const storage = fsStorage(installation.storage)
  return keptBytes === 0
    ? storage
    : cachedListings(storage, changeEvents(installation.storage), keptBytes - answersShare(keptBytes))
}

/** Opens what the configuration names and serves. `left` says what stands in the way and what to do. */
export const start = (config: ServerConfig, log: Logger): TE.TaskEither<string, Running> =>
  pipe(
    TE.fromIOEither(procIsMounted),
    TE.mapLeft(reasonOf),
    TE.flatMap(() =>
      pipe(
        openRegistry(config.installation.registry),
        TE.mapLeft(({ message }) => message),
      ),
    ),
    TE.flatMap((registry) =>
      pipe(
        observe(config.observe, log),
        TE.map((observed) => ({ registry, observed })),
        TE.orElseFirstTaskK(() => registry.close),
      ),
    ),
    TE.flatMap(({ registry, observed }) => {
      const readiness = serverReadiness(registry, config.installation.storage, log)
      const answer = service({
        ...registry,
        ...observed.observing,
        readiness,
        ...storageOf(config),
        treeNodes: config.treeNodes,
        failedLookups: failedLookups(config.failedLookups),
        trustedProxies: config.trustedProxies,
        portTimeoutMs,
        atOnce,
        keptAnswerBytes: answersShare(config.keptBytes),
        unread: { bytes: config.unreadBytes, patienceMs },
        log,
        ...(config.explorer ? { explorer: serveExplorer() } : {}),
      })
      const reportOverload = lineASecond(log, 'shed', 'overloaded')
      const handler = shed(answer, {
        maxInFlight: config.maxInFlight,
        maxDelayMs,
        exempt: isProbe,
        onShed: () => {
          reportOverload()
          observed.observing.metrics?.shed()
        },
        onInFlight: (inFlight) => observed.observing.metrics?.tookPlaces(inFlight),
      })
      const { host, port } = config.installation
      return pipe(
        listen(handler, {
          host,
          port,
          maxConnections: config.maxConnections,
          onMalformed: reportMalformed(log, observed.observing),
          onNotAccepted: ({ message }) => log.error({ message }, 'a connection could not be accepted'),
        }),
        TE.mapLeft((error) => `cannot listen on ${host}:${port}: ${whyNotListening(error, saidForAll)}`),
        TE.map(
          (listening): Running => ({
            url: listening.url,
            notReady: readiness.drain,
            stop: async (bounds) => {
              const cut = await listening.stop(bounds)
              await observed.stop()
              await Promise.race([registry.close(), sleep(closingMs)])
              return cut
            },
          }),
        ),
        TE.orElseFirstTaskK(() => observed.stop),
        TE.orElseFirstTaskK(() => registry.close),
      )
    }),
  )
