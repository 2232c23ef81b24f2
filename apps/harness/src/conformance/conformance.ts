import { BaseUrl } from '@canopy/testkit'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Command } from '../Command.js'
import { reported } from '../reported.js'
import { runChecks } from '../runChecks.js'
import { conformanceChecks } from './conformanceChecks.js'
import { firstAnswer } from './firstAnswer.js'
import { askingOf, type ServiceOptions } from './ServiceOptions.js'
import { type Selection, selecting } from './selecting.js'

export type ConformanceOptions = ServiceOptions & Selection

/** Every scenario, asked over HTTP of a service that has planted the fixture. */
export const conformance =
  (options: ConformanceOptions): Command =>
  (env) =>
    pipe(
      TE.Do,
      TE.bind('asking', () => askingOf(options, env)),
      TE.bind('checks', ({ asking }) =>
        pipe(conformanceChecks(asking, options.everyU64 === true), selecting(options), TE.fromEither),
      ),
      TE.bind('notes', ({ asking }) => firstAnswer(asking)),
      TE.bind('results', ({ checks }) => TE.fromTask(() => runChecks(env.watch, checks))),
      TE.map(({ asking, results, notes }) => ({
        title: `Canopy's interface at ${BaseUrl.toText(asking.service)}`,
        results,
        notes,
      })),
      TE.map(reported(options.format)),
    )
