import * as fc from 'fast-check'
import { illegalRawPath } from './illegalRawPath.js'
import { locate, type Place, place } from './place.js'
import { rawOf } from './spelledPath.js'
import { type Spelling, separator, spelling } from './spelling.js'

/** What follows the credential, chosen before the world is known. */
export interface PathPlan {
  /** `useful` paths lead the asker to a node; `known` ones lead to, beside or below what the world mentions. */
  readonly kind: 'useful' | 'known' | 'illegal'
  readonly place: Place
  readonly spell: Spelling
  readonly separator: string
  readonly slash: boolean
  /** As the request target spells it. */
  readonly illegal: string
}

/** `useful` ones so many times as often as illegal ones; `known` ones four times. */
export const pathPlan = (useful: number): fc.Arbitrary<PathPlan> =>
  fc.record({
    kind: fc.oneof(
      { weight: useful, arbitrary: fc.constant('useful' as const) },
      { weight: 4, arbitrary: fc.constant('known' as const) },
      { weight: 1, arbitrary: fc.constant('illegal' as const) },
    ),
    place,
    spell: spelling,
    separator,
    slash: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    illegal: illegalRawPath,
  })

/** The tail of the request target. `useful` may be empty; `known` holds the root at least. */
export const rawPathOf = (plan: PathPlan, useful: ReadonlyArray<string>, known: ReadonlyArray<string>): string => {
  if (plan.kind === 'illegal') return plan.illegal
  const there = { ...plan.place, suffix: '', below: [] }
  return plan.kind === 'useful' && useful.length > 0
    ? rawOf(locate(useful)(there), plan.spell, plan.separator, plan.slash)
    : rawOf(locate(known)(plan.place), plan.spell, plan.separator, plan.slash)
}
