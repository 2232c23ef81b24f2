import { openRegistry } from '@canopy/registry'
import { fsStorage } from '@canopy/storage-fs'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Logger } from 'pino'
import { app } from './app.js'
import { failedLookups } from './defence/failedLookups.js'
import { reportShed } from './defence/reportShed.js'
import { shed } from './defence/shed.js'
import { listen } from './listen.js'
import type { ServerConfig } from './ServerConfig.js'

/** A service that answers, until it is stopped. */
export interface Running {
  readonly url: string
  /** Finishes the requests in flight, then closes everything. */
  readonly stop: () => Promise<void>
}

/** Ends a call that hangs. Listing 200,000 files on a local disk takes 2 s, eight such listings at
 * once 23 s: slow is not hanging. */
const portTimeoutMs = 30_000

/** A loop that is later than this has more work than time, in milliseconds. */
const maxDelayMs = 200

/** Opens what the configuration names and listens. `left` says what stands in the way and what to do. */
export const start = (config: ServerConfig, log: Logger): TE.TaskEither<string, Running> =>
  pipe(
    openRegistry(config.installation.registry),
    TE.mapLeft(({ message }) => message),
    TE.flatMap((registry) => {
      const service = app({
        ...registry,
        ...fsStorage(config.installation.storage),
        treeNodes: config.treeNodes,
        failedLookups: failedLookups(config.failedLookups),
        trustedProxies: config.trustedProxies,
        portTimeoutMs,
        log,
      })
      const handler = shed(service.callback(), {
        maxInFlight: config.maxInFlight,
        maxDelayMs,
        exempt: () => false,
        onShed: reportShed(log),
      })
      return pipe(
        listen(handler, { ...config.installation, maxConnections: config.maxConnections }),
        TE.bimap(
          ({ message }) => `cannot listen on ${config.installation.host}:${config.installation.port}: ${message}`,
          (listening) => ({
            url: listening.url,
            stop: async () => {
              await listening.stop()
              await registry.close()
            },
          }),
        ),
        TE.orElseFirstTaskK(() => registry.close),
      )
    }),
  )
