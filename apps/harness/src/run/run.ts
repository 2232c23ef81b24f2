import { causeOf } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from '../Argument.js'
import { notRun, type Result } from '../Check.js'
import type { Command, CommandEnv } from '../Command.js'
import { type DoorName, doorNames, missingFor, titles } from '../doors/openDoor.js'
import { failed, type Refusal } from '../Refusal.js'
import type { Format } from '../report/formats.js'
import { reported } from '../reported.js'
import { runDoor } from './runDoor.js'
import type { Worlds } from './worldsCheck.js'

export interface RunOptions {
  readonly door?: ReadonlyArray<DoorName>
  readonly worlds: string
  readonly seed?: string
  readonly format: Format
}

const notRunAtAll = (door: DoorName, why: string): ReadonlyArray<Result> => [
  { suite: titles[door], name: 'every law and scenario', outcome: notRun(why) },
]

/** A door that was named must be run; of all doors, one that this machine lacks is left out, and the report says so. */
const throughDoor =
  (isNamed: boolean, worlds: Worlds, { variables, watch }: CommandEnv) =>
  (door: DoorName): TE.TaskEither<Refusal, ReadonlyArray<Result>> =>
    pipe(
      missingFor(door, variables),
      E.match(
        (why) => (isNamed ? TE.left(failed(why)) : TE.right(notRunAtAll(door, why))),
        () =>
          TE.tryCatch(
            () => runDoor(door, worlds, watch),
            (thrown) => failed(`the door ${titles[door]} cannot be opened: ${causeOf(thrown)}`),
          ),
      ),
    )

const worldsOf = ({ worlds, seed }: RunOptions, { newSeed }: CommandEnv): E.Either<Refusal, Worlds> =>
  pipe(
    E.Do,
    E.bind('worlds', () => Argument.wholeNumber('--worlds', 0)(worlds)),
    E.bind('seed', () => Argument.seed(seed, newSeed)),
  )

/** Laws, scenarios and generated worlds through the doors of this machine. */
export const run =
  (options: RunOptions): Command =>
  (env) =>
    pipe(
      TE.fromEither(worldsOf(options, env)),
      TE.flatMap((worlds) =>
        pipe(
          [...new Set(options.door ?? doorNames)],
          TE.traverseSeqArray(throughDoor(options.door !== undefined, worlds, env)),
        ),
      ),
      TE.map((results) => ({ title: 'Canopy over its own adapters', results: results.flat(), notes: [] })),
      TE.map(reported(options.format)),
    )
