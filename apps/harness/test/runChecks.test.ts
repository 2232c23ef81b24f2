import { SeedingFailed } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { type Check, type Outcome, runChecks, type Watch } from '../src/Command.js'

const passed: Outcome = { is: 'passed' }

const check = (name: string, look: Check['look'] = async () => passed): Check => ({ suite: 's', name, look })

const watch: Watch = { announce: () => undefined, isInterrupted: () => false }

describe('checks', () => {
  it('are looked into one after the other, each announced before, until no one wants to know any more', async () => {
    const said: Array<string> = []
    const looked = check('first', async () => {
      said.push('looked')
      return passed
    })
    const announce: Watch['announce'] = (done, of, { name }) => void said.push(`${done}/${of} ${name}`)
    const results = await runChecks({ announce, isInterrupted: () => said.length > 2 }, [looked, check('second')])
    expect(said).toEqual(['0/2 first', 'looked', '1/2 second'])
    expect(results.map(({ outcome }) => outcome)).toEqual([passed, { is: 'not run', why: 'interrupted' }])
  })

  it.each([
    [new Error('ECONNRESET'), { what: 'no answer', got: 'ECONNRESET' }],
    [new SeedingFailed('the law "a"', new Error('ENOSPC')), { what: 'seeding failed for the law "a": ENOSPC' }],
  ])('that reject have failed, and the others are looked into all the same: %s', async (thrown, problem) => {
    expect(await runChecks(watch, [check('dead', () => Promise.reject(thrown)), check('alive')])).toEqual([
      { suite: 's', name: 'dead', outcome: { is: 'failed', problems: [problem] } },
      { suite: 's', name: 'alive', outcome: passed },
    ])
  })
})
