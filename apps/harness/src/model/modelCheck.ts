import { TriggerValue } from '@canopy/domain'
import { causeOf } from '@canopy/installation'
import {
  type Ask,
  arbitraries,
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
import { type Check, outcomeOf, type Problem } from '../Check.js'
import * as Asking from '../conformance/Asking.js'
import { again } from '../conformance/again.js'
import type { Watch } from '../runChecks.js'

export interface Requests {
  readonly requests: number
  readonly seed: number
  readonly everyU64: boolean
}

/** Of a trigger that is broken in the registry the model knows nothing. */
const wellFormed = (world: World): World => ({
  ...world,
  triggers: world.triggers.filter(({ value }) => E.isRight(TriggerValue.fromJson(value))),
})

/** Longer targets any part on the way may refuse. */
const longest = 8_000

/** Generated requests to the fixture, and what the reference model says to them. */
export const modelCheck = (
  asking: Asking.Asking,
  { requests, seed, everyU64 }: Requests,
  { isInterrupted }: Watch,
): Check => ({
  suite: 'the reference model',
  name: `${requests} generated requests of seed ${seed} are answered as the reference model says`,
  look: async () => {
    const world = wellFormed(fixture(everyU64))
    const problemsOf = async (ask: Ask): Promise<ReadonlyArray<Problem>> => {
      const scenario = overHttp({ name: target(ask), world, ask, answer: model(world, ask) })
      return differences(wholeAnswer(scenario), await Asking.send(asking)(scenario.request), asking.reading)
    }
    // The last request that fails while it is made smaller is the smallest.
    let smallest: { readonly ask: Ask; readonly problems: ReadonlyArray<Problem> } | undefined
    const asks = arbitraries.worldRequest(world).filter((ask) => target(ask).length <= longest)
    await fc.check(
      fc.asyncProperty(asks, async (ask) => {
        if (isInterrupted()) return true
        const problems = await problemsOf(ask).catch((thrown: unknown) => [{ what: 'no answer', got: causeOf(thrown) }])
        if (problems.length > 0) smallest = { ask, problems }
        return problems.length === 0
      }),
      { numRuns: requests, seed },
    )
    return smallest === undefined
      ? outcomeOf([])
      : outcomeOf(
          [{ what: `GET ${target(smallest.ask)} (seed ${seed})` }, ...smallest.problems],
          again(asking.service, { method: 'GET', target: target(smallest.ask) }),
        )
  },
})
