import { runs } from '@canopy/test-support'
import { describe, expect, it } from 'vitest'
import { runChecks } from '../src/Check.js'
import { conformanceChecks } from '../src/conformance.js'
import { ran } from './harnessIn.js'
import { allRound, type Mutant, mutants } from './mutants/mutants.js'
import { serveMutant } from './mutants/serveMutant.js'

const verdictOn = async (
  mutant: Partial<Mutant>,
  isAsked: (name: string) => boolean,
  comparison: 'exact' | 'semantic' = 'semantic',
) => {
  const url = new URL(await serveMutant(mutant))
  const service = { url, credentials: new Map(), comparison, isProxied: false }
  const results = await runChecks(
    { onCheck: () => undefined, isInterrupted: () => false },
    conformanceChecks(service, true).filter(({ name }) => isAsked(name)),
  )
  const failed = results.filter(({ outcome }) => outcome.is !== 'passed')
  return { asked: results.map(({ name }) => name), failed: failed.map(({ name }) => name) }
}

describe('the harness', () => {
  it.each(['exact', 'semantic'] as const)('passes a correct server in %s comparison', async (comparison) => {
    const { asked, failed } = await verdictOn({}, () => true, comparison)
    expect(failed).toEqual([])
    expect(asked.length).toBeGreaterThan(270)
  })

  it.each(mutants)('catches a server that $name', async (mutant) => {
    const { failed } = await verdictOn(mutant, (name) => name === mutant.caughtBy)
    expect(failed).toContain(mutant.caughtBy)
  })

  it('has a mutant for every check', async () => {
    const verdicts = await Promise.all(allRound.map((mutant) => verdictOn(mutant, () => true)))
    const caught = new Set(verdicts.flatMap(({ failed }) => failed))
    expect(verdicts[0]?.asked.filter((name) => !caught.has(name))).toEqual([])
  })
})

const askModel = async (mutant: Partial<Mutant>, ...words: ReadonlyArray<string>) =>
  ran(['model', await serveMutant(mutant), '--seed', '1', '--every-u64', ...words])

const named = (name: string) => mutants.find((mutant) => mutant.name === name) ?? expect.fail(`no mutant ${name}`)

describe('the reference model', () => {
  it('agrees with a correct server', async () => {
    const { stdout, exit } = await askModel({}, '--requests', `${runs(300)}`, '--exact')
    expect(stdout).toMatch(/\n\nPASSED: 1 passed\n$/)
    expect(exit).toBe(0)
  })

  it.each([
    'lets the strictest ancestor win',
    'shows the owner no more than a visitor',
    'accepts an expired token',
    'answers a type mismatch with 404',
  ])('disagrees with a server that %s, and shows the smallest request', async (name) => {
    const { stdout, exit } = await askModel(named(name), '--requests', `${runs(1_000)}`)
    expect(exit).toBe(1)
    expect(stdout).toMatch(/\n {2}GET \/api\/\S+ \(seed 1\)\n/)
    expect(stdout).toMatch(/\n {4}expected {2}.*\n {4}got {7}.*\n/)
    expect(stdout).toMatch(/\n {2}repeat {2}curl -si --request-target /)
  })

  it('repeats its requests with the same seed', async () => {
    const mutant = named('answers a type mismatch with 404')
    const said = async () => (await askModel(mutant, '--requests', '200')).stdout.replace(/:[0-9]{4,5}/g, '')
    expect(await said()).toBe(await said())
  })
})
