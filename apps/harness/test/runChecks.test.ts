import { accessLaws, storageLaws } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { type Check, type Outcome, outcomeOf, runChecks, type Watch } from '../src/Command.js'

const passed: Outcome = { is: 'passed' }

const check = (name: string, look: Check['look']): Check => ({ suite: 's', name, look })

const watch: Watch = { announce: () => undefined, isInterrupted: () => false }

describe('checks', () => {
  it('are looked into one after the other, each announced before', async () => {
    const announced: Array<string> = []
    await runChecks({ ...watch, announce: (done, of, { name }) => void announced.push(`${done}/${of} ${name}`) }, [
      check('first', async () => {
        announced.push('looked')
        return passed
      }),
      check('second', async () => passed),
    ])
    expect(announced).toEqual(['0/2 first', 'looked', '1/2 second'])
  })

  it('that get no answer have failed, and the others are looked into all the same', async () => {
    const results = await runChecks(watch, [
      check('dead', () => Promise.reject(new Error('ECONNRESET'))),
      check('alive', async () => passed),
    ])
    expect(results).toEqual([
      { suite: 's', name: 'dead', outcome: { is: 'failed', problems: [{ what: 'no answer', got: 'ECONNRESET' }] } },
      { suite: 's', name: 'alive', outcome: passed },
    ])
  })

  it('for which nothing could be seeded say so, by the law and the cause', async () => {
    const seed = () => Promise.reject(new Error('ENOSPC'))
    const laws = [storageLaws[0], accessLaws[0]].filter((law) => law !== undefined)
    const results = await runChecks(
      watch,
      laws.map(({ name, violations }) =>
        check(name, async () => outcomeOf((await violations(seed)).map((what) => ({ what })))),
      ),
    )
    expect(results.map(({ outcome }) => outcome)).toEqual(
      laws.map(({ name }) => ({ is: 'failed', problems: [{ what: `seeding failed for the law "${name}": ENOSPC` }] })),
    )
  })

  it('are not looked into once no one wants to know any more', async () => {
    const announced: Array<string> = []
    const looking = check('looking', async () => passed)
    const results = await runChecks(
      { announce: (_, __, { name }) => void announced.push(name), isInterrupted: () => announced.length > 1 },
      [looking, looking],
    )
    expect(results.map(({ outcome }) => outcome)).toEqual([passed, { is: 'not run', why: 'interrupted' }])
  })
})
