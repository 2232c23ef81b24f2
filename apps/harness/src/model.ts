import { TriggerValue } from '@canopy/domain'
import {
  type Ask,
  arbitraries,
  BaseUrl,
  differences,
  fixture,
  model,
  overHttp,
  target,
  type World,
  wholeAnswer,
} from '@canopy/testkit'
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Asking, again, askingOf, firstAnswer, isOfProxy, type ServiceOptions, send } from './Asking.js'
import { type Check, noAnswer, outcomeOf, type Problem, runChecks, type Watch } from './Check.js'
import { type Command, seedFrom, wholeNumber } from './Command.js'
import { reported } from './formats.js'

export interface ModelOptions extends ServiceOptions {
  readonly requests: string
  readonly seed?: string
}

/** Of a trigger that is broken in the registry the model knows nothing. */
const wellFormed = (world: World): World => ({
  ...world,
  triggers: world.triggers.filter(({ value }) => E.isRight(TriggerValue.fromJson(value))),
})

/** Longer targets any part on the way may refuse. */
const longest = 8_000

/** Generated requests to the fixture, and what the reference model says to them. */
const modelCheck = (
  asking: Asking,
  { requests, seed, everyU64 }: { readonly requests: number; readonly seed: number; readonly everyU64: boolean },
  { isInterrupted }: Watch,
): Check => ({
  suite: 'the reference model',
  name: `${requests} generated requests of seed ${seed} are answered as the reference model says`,
  look: async () => {
    const world = wellFormed(fixture(everyU64))
    const problemsOf = async (ask: Ask): Promise<ReadonlyArray<Problem>> => {
      const scenario = overHttp({ name: target(ask), world, ask, answer: model(world, ask) })
      const answer = await send(asking)(scenario.request)
      return isOfProxy(asking, answer) ? [] : differences(wholeAnswer(scenario), answer, asking.reading)
    }
    // The last request that fails while it is made smaller is the smallest.
    let smallest: { readonly raw: string; readonly problems: ReadonlyArray<Problem> } | undefined
    const asks = arbitraries.worldRequest(world).filter((ask) => target(ask).length <= longest)
    const property = fc.asyncProperty(asks, async (ask) => {
      if (isInterrupted()) return true
      const problems = await problemsOf(ask).catch((thrown: unknown) => [noAnswer(thrown)])
      if (problems.length > 0) smallest = { raw: target(ask), problems }
      return problems.length === 0
    })
    await fc.check(property, { numRuns: requests, seed })
    if (smallest === undefined) return outcomeOf([])
    const { raw, problems } = smallest
    return outcomeOf(
      [{ what: `GET ${raw} (seed ${seed})` }, ...problems],
      again(asking.service, { method: 'GET', target: raw }),
    )
  },
})

/** Generated requests, asked over HTTP of a service that has seeded the fixture. */
export const askModel =
  (options: ModelOptions): Command =>
  (env) =>
    pipe(
      TE.Do,
      TE.bind('requests', () => TE.fromEither(wholeNumber('--requests', 1)(options.requests))),
      TE.bind('seed', () => TE.fromEither(seedFrom(options.seed, env.newSeed))),
      TE.bind('asking', () => askingOf(options, env)),
      TE.bind('notes', ({ asking }) => firstAnswer(asking)),
      TE.bind('results', ({ asking, requests, seed }) => {
        const check = modelCheck(asking, { requests, seed, everyU64: options.everyU64 === true }, env.watch)
        return TE.fromTask(() => runChecks(env.watch, [check]))
      }),
      TE.map(({ asking, results, notes }) => ({
        title: `The reference model and ${BaseUrl.toText(asking.service)}`,
        results,
        notes,
      })),
      TE.map(reported(options.format)),
    )
