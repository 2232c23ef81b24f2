import { openRegistry } from '@canopy/registry'
import { fsStorage } from '@canopy/storage-fs'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Logger } from 'pino'
import { app } from './app.js'
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

/** Opens what the configuration names and listens. `left` says what stands in the way and what to do. */
export const start = ({ installation, treeNodes }: ServerConfig, log: Logger): TE.TaskEither<string, Running> =>
  pipe(
    openRegistry(installation.registry),
    TE.mapLeft(({ message }) => message),
    TE.flatMap((registry) => {
      const service = app({ ...registry, ...fsStorage(installation.storage), treeNodes, portTimeoutMs, log })
      return pipe(
        listen(service.callback(), installation),
        TE.bimap(
          ({ message }) => `cannot listen on ${installation.host}:${installation.port}: ${message}`,
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
