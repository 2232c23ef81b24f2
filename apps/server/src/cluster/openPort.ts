import type { Server } from 'node:net'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Logger } from 'pino'
import { type Address, listenAt, type Port } from '../connection/listenAt.js'
import { saidForAll, whyNotListening } from '../connection/whyNotListening.js'

/** Lets a server listen where the configuration says, and announces it. `left` says why it cannot, and what to do. */
export const openPort = (server: Server, { host, port }: Address, log: Logger): TE.TaskEither<string, Port> =>
  pipe(
    listenAt(server, { host, port }, ({ message }) => log.error({ message }, 'a connection could not be accepted')),
    TE.mapLeft((error) => `cannot listen on ${host}:${port}: ${whyNotListening(error, saidForAll)}`),
    TE.tapIO(
      ({ url }) =>
        () =>
          log.info({ url }, 'listening'),
    ),
  )
