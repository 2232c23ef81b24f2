import { SeedingFailed } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { type Check, type Monitor, type Outcome, runChecks } from '../src/Check.js'

const passed: Outcome = { is: 'passed' }

const check = (name: string, verify: Check['verify'] = async () => passed): Check => ({ suite: 's', name, verify })

const monitor: Monitor = { onCheck: () => undefined, isInterrupted: () => false }

describe('checks', () => {
  it('run in order, each announced before, until they are interrupted', async () => {
    const said: Array<string> = []
    const verified = check('first', async () => {
      said.push('verified')
      return passed
    })
    const onCheck: Monitor['onCheck'] = (done, total, { name }) => void said.push(`${done}/${total} ${name}`)
    const results = await runChecks({ onCheck, isInterrupted: () => said.length > 2 }, [verified, check('second')])
    expect(said).toEqual(['0/2 first', 'verified', '1/2 second'])
    expect(results.map(({ outcome }) => outcome)).toEqual([passed, { is: 'not run', reason: 'interrupted' }])
  })

  it.each([
    [new Error('ECONNRESET'), { what: 'no answer', got: 'ECONNRESET' }],
    [new SeedingFailed('the law "a"', new Error('ENOSPC')), { what: 'seeding failed for the law "a": ENOSPC' }],
  ])('that reject have failed, and the others still run: %s', async (thrown, problem) => {
    expect(await runChecks(monitor, [check('dead', () => Promise.reject(thrown)), check('alive')])).toEqual([
      { suite: 's', name: 'dead', outcome: { is: 'failed', problems: [problem] } },
      { suite: 's', name: 'alive', outcome: passed },
    ])
  })
})
