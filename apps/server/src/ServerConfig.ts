import { Installation, problemsOf, variable, wholeNumber } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as t from 'io-ts'

/** Everything the server is told from outside. */
export interface ServerConfig {
  readonly installation: Installation.Installation
  /** A level of pino's. */
  readonly logLevel: string
  /** The node budget of one tree. */
  readonly treeNodes: number
}

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

const codec = t.type({
  CANOPY_LOG: variable('LogLevel', (text) => levels.includes(text), `must be one of ${levels.join(', ')}`),
  CANOPY_TREE_NODES: wholeNumber(
    'TreeNodes',
    1,
    Number.MAX_SAFE_INTEGER,
    'must be a whole number of nodes from 1, such as 1000000 (the default)',
  ),
})

const defaults = { CANOPY_LOG: 'info', CANOPY_TREE_NODES: '1000000' }

const ownFromVariables = (variables: Installation.Variables) =>
  pipe(
    { ...defaults, ...variables },
    codec.decode,
    E.bimap(problemsOf, (read) => ({ logLevel: read.CANOPY_LOG, treeNodes: Number(read.CANOPY_TREE_NODES) })),
  )

const everyProblem = E.getApplicativeValidation(RA.getSemigroup<string>())

/** `left` names every problem at once. Relative paths are taken from `cwd`. */
export const fromVariables = (
  cwd: string,
  variables: Installation.Variables,
): E.Either<ReadonlyArray<string>, ServerConfig> =>
  pipe(
    Installation.fromVariables(cwd, variables),
    E.map((installation) => (own: Omit<ServerConfig, 'installation'>) => ({ installation, ...own })),
    (partial) => everyProblem.ap(partial, ownFromVariables(variables)),
  )
