import { SeedingFailed } from '@canopy/testkit'
import { expect, it } from 'vitest'
import { type Check, type Outcome, runChecks } from '../src/Check.js'

const passed: Outcome = { is: 'passed' }

const check = (name: string, verify: Check['verify']): Check => ({ suite: 's', name, verify })

const monitor = { onCheck: () => undefined, isInterrupted: () => false }

it('checks are not run after an interruption', async () => {
  let isInterrupted = false
  const first = check('first', async () => {
    isInterrupted = true
    return passed
  })
  const results = await runChecks({ ...monitor, isInterrupted: () => isInterrupted }, [first, first])
  expect(results.map(({ outcome }) => outcome)).toEqual([passed, { is: 'not run', reason: 'interrupted' }])
})

it.each([
  [new Error('ECONNRESET'), { what: 'no response: ECONNRESET' }],
  [new SeedingFailed('the law "a"', new Error('ENOSPC')), { what: 'seeding failed for the law "a": ENOSPC' }],
])('checks that reject have failed, and the others still run: %s', async (thrown, problem) => {
  const checks = [check('dead', () => Promise.reject(thrown)), check('alive', async () => passed)]
  expect(await runChecks(monitor, checks)).toEqual([
    { suite: 's', name: 'dead', outcome: { is: 'failed', problems: [problem] } },
    { suite: 's', name: 'alive', outcome: passed },
  ])
})
