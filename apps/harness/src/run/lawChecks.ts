import { accessLaws, type Law, settingsLaws, storageLaws, triggersLaws } from '@canopy/testkit'
import { type Check, outcomeOf } from '../Check.js'
import type { Subjects } from '../doors/Subjects.js'

const checksOf = <Subject>(suite: string, laws: ReadonlyArray<Law<Subject>>, subject: Subject): ReadonlyArray<Check> =>
  laws.map(({ name, violations }) => ({
    suite,
    name,
    look: async () => outcomeOf((await violations(subject)).map((what) => ({ what }))),
  }))

/** The laws of every port, kept by these adapters. */
export const lawChecks = ({ name, plantStorage, plantRegistry }: Subjects): ReadonlyArray<Check> => [
  ...checksOf(`${name}, laws of storage`, storageLaws, plantStorage),
  ...checksOf(`${name}, laws of access`, accessLaws, plantRegistry),
  ...checksOf(`${name}, laws of settings`, settingsLaws, plantRegistry),
  ...checksOf(`${name}, laws of triggers`, triggersLaws, plantRegistry),
]
