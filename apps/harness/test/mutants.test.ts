import { describe, expect, it } from 'vitest'
import { runChecks } from '../src/Command.js'
import { conformanceChecks } from '../src/conformance.js'
import type { Mutant } from './mutants/Mutant.js'
import { allRound, mutants } from './mutants/mutants.js'
import { serveMutant } from './mutants/serveMutant.js'

/** The names of all checks that were asked, and of those that did not pass. */
const verdictOn = async (
  mutant: Partial<Mutant>,
  isAsked: (name: string) => boolean,
  reading: 'exact' | 'meaning' = 'meaning',
) => {
  const service = new URL(await serveMutant(mutant))
  const asking = { service, credentials: new Map(), reading, proxied: false }
  const results = await runChecks(
    { announce: () => undefined, isInterrupted: () => false },
    conformanceChecks(asking, true).filter(({ name }) => isAsked(name)),
  )
  const failed = results.filter(({ outcome }) => outcome.is !== 'passed')
  return { asked: results.map(({ name }) => name), failed: failed.map(({ name }) => name) }
}

describe('the harness', () => {
  it.each(['exact', 'meaning'] as const)('finds nothing in the right server, reading what is %s', async (reading) => {
    const { asked, failed } = await verdictOn({}, () => true, reading)
    expect(failed).toEqual([])
    expect(asked.length).toBeGreaterThan(270)
  })

  it.each(mutants)('catches a server that $name', async (mutant) => {
    const { failed } = await verdictOn(mutant, (name) => name === mutant.caughtBy)
    expect(failed).toContain(mutant.caughtBy)
  })

  it('has no check that catches none', async () => {
    const verdicts = await Promise.all(allRound.map((mutant) => verdictOn(mutant, () => true)))
    const caught = new Set(verdicts.flatMap(({ failed }) => failed))
    expect(verdicts[0]?.asked.filter((name) => !caught.has(name))).toEqual([])
  })
})
