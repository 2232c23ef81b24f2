import { describe, expect, it } from 'vitest'
import { ran } from './harnessIn.js'
import type { Mutant } from './mutants/Mutant.js'
import { mutants } from './mutants/mutants.js'
import { serveMutant } from './mutants/serveMutant.js'

const askModel = async (mutant: Partial<Mutant>, ...words: ReadonlyArray<string>) =>
  ran(['model', await serveMutant(mutant), '--seed', '1', '--every-u64', ...words])

const named = (name: string): Mutant => {
  const found = mutants.find((mutant) => mutant.name === name)
  if (found === undefined) throw new Error(`no mutant ${name}`)
  return found
}

describe('the reference model', () => {
  it('agrees with the right server', async () => {
    const { stdout, exit } = await askModel({}, '--requests', '300', '--exact')
    expect(stdout).toMatch(/\n\nPASSED: 1 passed\n$/)
    expect(exit).toBe(0)
  })

  it.each([
    'lets the strictest ancestor win',
    'shows the owner no more than a visitor',
    'accepts an expired token',
    'answers a type mismatch with 404',
  ])('disagrees with a server that %s, and shows the smallest request', async (name) => {
    const { stdout, exit } = await askModel(named(name), '--requests', '1000')
    expect(exit).toBe(1)
    expect(stdout).toMatch(/\n {2}GET \/api\/\S+ \(seed 1\)\n/)
    expect(stdout).toMatch(/\n {4}expected {2}.*\n {4}got {7}.*\n/)
    expect(stdout).toMatch(/\n {2}again {2}curl -si --request-target /)
  })

  it('asks the same again by the same seed', async () => {
    const mutant = named('answers a type mismatch with 404')
    const said = async () => (await askModel(mutant, '--requests', '200')).stdout.replace(/:[0-9]{4,5}/g, '')
    expect(await said()).toBe(await said())
  })
})
