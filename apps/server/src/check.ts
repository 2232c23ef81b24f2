import { openRegistry } from '@canopy/registry'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Config } from './config.js'
import { isOwnAddress, metricsVariables, serviceVariables, whyNotListening } from './http/listen.js'
import { openStorage, unreadable } from './storage.js'

type Problems = ReadonlyArray<string>

/** Without its port, which a server that runs may have. */
const hostProblems = (host: string, variables: typeof serviceVariables): T.Task<Problems> =>
  pipe(
    isOwnAddress(host),
    TE.match(
      (error) => [`cannot listen on ${host}: ${whyNotListening(error, variables)}`],
      () => [],
    ),
  )

const metricsProblems = ({ observe }: Config): T.Task<Problems> =>
  pipe(
    observe.metrics,
    O.match(
      () => T.of([]),
      ({ host }) => hostProblems(host, metricsVariables),
    ),
  )

const registryProblems = ({ installation }: Config): T.Task<Problems> =>
  pipe(
    openRegistry(installation.registry),
    TE.flatMap(({ close }) => TE.fromTask(close)),
    TE.match(
      ({ message }) => [message],
      () => [],
    ),
  )

const storageProblems = ({ installation }: Config): T.Task<Problems> =>
  pipe(
    TE.fromTask(openStorage(installation.storage)),
    TE.flatMap(({ reachable, close }) =>
      pipe(
        reachable,
        T.tapIO(() => close),
      ),
    ),
    TE.match(
      (failure) => [unreadable(failure)],
      () => [],
    ),
  )

/** Opens what the configuration names and serves nothing. `left` says all that prevents a start. */
export const check = (config: Config): TE.TaskEither<Problems, void> =>
  pipe(
    T.sequenceSeqArray([
      hostProblems(config.installation.host, serviceVariables),
      metricsProblems(config),
      registryProblems(config),
      storageProblems(config),
    ]),
    T.map(RA.flatten),
    TE.fromTask,
    TE.flatMap((problems) => (problems.length === 0 ? TE.right(undefined) : TE.left(problems))),
  )
