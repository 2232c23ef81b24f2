import { BaseUrl } from '@canopy/testkit'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from '../Argument.js'
import type { Command } from '../Command.js'
import { firstAnswer } from '../conformance/firstAnswer.js'
import { askingOf, type ServiceOptions } from '../conformance/ServiceOptions.js'
import { reported } from '../reported.js'
import { runChecks } from '../runChecks.js'
import { modelCheck } from './modelCheck.js'

export interface ModelOptions extends ServiceOptions {
  readonly requests: string
  readonly seed?: string
}

/** Generated requests, asked over HTTP of a service that has planted the fixture. */
export const askModel =
  (options: ModelOptions): Command =>
  (env) =>
    pipe(
      TE.Do,
      TE.bind('requests', () => TE.fromEither(Argument.wholeNumber('--requests', 1)(options.requests))),
      TE.bind('seed', () => TE.fromEither(Argument.seed(options.seed, env.newSeed))),
      TE.bind('asking', () => askingOf(options, env)),
      TE.bind('notes', ({ asking }) => firstAnswer(asking)),
      TE.bind('results', ({ asking, requests, seed }) =>
        TE.fromTask(() =>
          runChecks(env.watch, [
            modelCheck(asking, { requests, seed, everyU64: options.everyU64 === true }, env.watch),
          ]),
        ),
      ),
      TE.map(({ asking, results, notes }) => ({
        title: `The reference model and ${BaseUrl.toText(asking.service)}`,
        results,
        notes,
      })),
      TE.map(reported(options.format)),
    )
