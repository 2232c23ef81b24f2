import { BaseUrl } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { type Result, runChecks } from '../src/Check.js'
import { conformanceChecks } from '../src/conformance.js'
import type { Mutant } from './mutants/Mutant.js'
import { mutants } from './mutants/mutants.js'
import { serveMutant } from './mutants/serveMutant.js'

/** What the harness says of a server: by all checks, or by those of one name. */
const verdictOn = async (
  mutant: Mutant,
  isAsked: (name: string) => boolean,
  reading: 'exact' | 'meaning' = 'meaning',
): Promise<ReadonlyArray<Result>> => {
  const { port, stop } = await serveMutant(mutant)
  const asking = { service: BaseUrl.ofPort(port), credentials: new Map(), reading }
  try {
    return await runChecks(
      { tell: () => undefined, isInterrupted: () => false },
      conformanceChecks(asking, true).filter(({ name }) => isAsked(name)),
    )
  } finally {
    await stop()
  }
}

const failed = (results: ReadonlyArray<Result>) => results.filter(({ outcome }) => outcome.is !== 'passed')

const right: Mutant = { name: 'is right', caughtBy: '' }

describe('the harness', () => {
  it.each(['exact', 'meaning'] as const)('finds nothing in the right server, reading what is %s', async (reading) => {
    const results = await verdictOn(right, () => true, reading)
    expect(failed(results)).toEqual([])
    expect(results.length).toBeGreaterThan(270)
  })

  it.each(mutants)('catches a server that $name', async (mutant) => {
    const results = await verdictOn(mutant, (name) => name === mutant.caughtBy)
    expect(results.length).toBeGreaterThan(0)
    expect(failed(results).map(({ name }) => name)).toContain(mutant.caughtBy)
  })

  it('has a name of its own for every mutant', () => {
    const names = mutants.map(({ name }) => name)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })
})
