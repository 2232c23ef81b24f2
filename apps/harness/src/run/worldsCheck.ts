import { type Door, jsonText, modelAgreement, target } from '@canopy/testkit'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { answerText } from '../answerText.js'
import { type Check, outcomeOf, passed } from '../Check.js'

export interface Worlds {
  readonly worlds: number
  readonly seed: number
}

const asksPerWorld = 20

/** Generated worlds through one door. A disagreement is told with the smallest world and request found. */
export const worldsCheck = (door: Door, faults: boolean, again: string, { worlds, seed }: Worlds): Check => ({
  suite: `${door.name}, generated worlds`,
  name: `${worlds * asksPerWorld} requests to ${worlds} worlds of seed ${seed} are answered as the reference model says`,
  look: async () => {
    const { disagreement } = await modelAgreement(door, { requests: worlds * asksPerWorld, seed, asksPerWorld, faults })
    return pipe(
      disagreement,
      O.match(
        () => passed,
        ({ world, ask, expected, got }) =>
          outcomeOf(
            [
              { what: `GET ${target(ask)}`, expected: answerText(expected), got: answerText(got) },
              { what: `in the world ${jsonText(world)}` },
            ],
            `${again} --worlds ${worlds} --seed ${seed}`,
          ),
      ),
    )
  },
})
