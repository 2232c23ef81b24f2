import * as fc from 'fast-check'
import { type Spelling, spelling } from './spelling.js'

/** A credential chosen before the world is known. */
export interface CredentialPlan {
  /** `useful` credentials open something; `known` ones may be expired, unverified and the like. */
  readonly kind: 'useful' | 'known' | 'unknown' | 'malformed'
  /** Which of them, counted around. */
  readonly which: number
  readonly spell: Spelling
  readonly unknown: string
  /** As the request target spells it. */
  readonly malformed: string
}

export const credentialPlan = (
  unknown: fc.Arbitrary<string>,
  malformed: fc.Arbitrary<string>,
): fc.Arbitrary<CredentialPlan> =>
  fc.record({
    kind: fc.oneof(
      { weight: 30, arbitrary: fc.constant('useful' as const) },
      { weight: 4, arbitrary: fc.constant('known' as const) },
      { weight: 1, arbitrary: fc.constantFrom('unknown' as const, 'malformed' as const) },
    ),
    which: fc.nat({ max: 11 }),
    spell: spelling,
    unknown,
    malformed,
  })

const around = <A>(all: ReadonlyArray<A>, which: number): A | undefined => all[which % all.length]

/** The chosen one; `undefined` when there is none to choose from, or none is meant. */
export const chosen = <A>(
  { kind, which }: CredentialPlan,
  useful: ReadonlyArray<A>,
  known: ReadonlyArray<A>,
): A | undefined =>
  kind === 'useful'
    ? (around(useful, which) ?? around(known, which))
    : kind === 'known'
      ? around(known, which)
      : undefined

/** The segment of the request target. */
export const spelled = ({ kind, spell, unknown, malformed }: CredentialPlan, known: string | undefined): string =>
  kind === 'malformed' ? malformed : spell(known ?? unknown)
