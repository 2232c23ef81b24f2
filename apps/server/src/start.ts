import { setTimeout as sleep } from 'node:timers/promises'
import { openRegistry } from '@canopy/registry'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Logger } from 'pino'
import type { Config } from './config.js'
import type { StopBounds } from './http/connections.js'
import { listen, serviceVariables, whyNotListening } from './http/listen.js'
import { failedLookups } from './limits/failedLookups.js'
import { serverReadiness } from './observe/health.js'
import { observe } from './observe/observe.js'
import { documentPage } from './openapi/pages.js'
import { server } from './server.js'
import { openStorage, type Storage } from './storage.js'
import { webPages } from './webPages.js'

/** A service that answers, until it is stopped. */
export interface Service {
  readonly url: string
  /** From now on `/readyz` says that the service is draining. */
  readonly drain: () => void
  /** Finishes the answers under way, then closes everything. Resolves with the number of answers that were cut. */
  readonly stop: (bounds: StopBounds) => Promise<number>
}

/** How long a request may take until the first byte of its answer, in milliseconds. */
export const answerMs = 30_000

/** And one call of a port. Listing 200,000 files on a local disk takes 2 s, eight such listings at once 23 s: slow is not hanging. */
export const portMs = 25_000

/** One thread answers, a few processes read, ten connections lead to a registry: what more began would only wait there. */
const atOnce = 10
const longMs = 100

/** No client is cut for being slow before that, in milliseconds. */
const patienceMs = 5_000

/** What a registry may take to close, in milliseconds: a lost connection must not hold up the exit. */
const closingMs = 1_000

/** Serves from a storage, which is left open. */
const serve = (config: Config, log: Logger, storage: Storage): TE.TaskEither<string, Service> =>
  pipe(
    storage.startable,
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
      const readiness = serverReadiness(registry, storage.reachable, log)
      const service = server({
        ...registry,
        ...storage.ports(config, log, observed.observing.metrics),
        ...observed.observing,
        log,
        readiness,
        treeNodes: config.treeNodes,
        limitLookups: failedLookups({ perMinute: config.failedLookups, trustedProxies: config.trustedProxies }),
        answerMs,
        portMs,
        connections: { maxConnections: config.maxConnections, idleMs: config.idleMs },
        admission: { most: config.maxInFlight, atOnce, longMs },
        unread: { bytes: config.unreadBytes, patienceMs },
        cacheBytes: storage.answersBytes(config.cacheBytes),
        pages: [documentPage, webPages(config)],
      })
      const { host, port } = config.installation
      return pipe(
        listen(service, { host, port }, ({ message }) => log.error({ message }, 'a connection could not be accepted')),
        TE.mapLeft((error) => `cannot listen on ${host}:${port}: ${whyNotListening(error, serviceVariables)}`),
        TE.map(
          ({ url, stop }): Service => ({
            url,
            drain: readiness.drain,
            stop: async (bounds) => {
              const cut = await stop(bounds)
              await observed.stop()
              await Promise.race([registry.close(), sleep(closingMs)])
              storage.close()
              return cut
            },
          }),
        ),
        TE.orElseFirstTaskK(() => observed.stop),
        TE.orElseFirstTaskK(() => registry.close),
      )
    }),
  )

/** Opens what the configuration names and serves. `left` says what prevents it and what to do. */
export const start = (config: Config, log: Logger): TE.TaskEither<string, Service> =>
  pipe(
    TE.fromTask(openStorage(config.installation.storage)),
    TE.flatMap((storage) =>
      pipe(
        serve(config, log, storage),
        TE.orElseFirstIOK(() => storage.close),
      ),
    ),
  )
