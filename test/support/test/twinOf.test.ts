import { isDeepStrictEqual } from 'node:util'
import {
  arbitraries,
  model,
  type WorldAccount,
  type WorldDirectory,
  type WorldFile,
  type WorldNode,
} from '@canopy/testkit'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { twinOf, twinPlan } from '../src/twinOf.js'

const file = (name: string, size = 0n): WorldFile => ({ type: 'file', name, size, last_modified: 0n })
const dir = (name: string, ...content: ReadonlyArray<WorldNode>): WorldDirectory => ({
  type: 'dir',
  name,
  last_modified: 0n,
  content,
})

const account: WorldAccount = {
  id: '1',
  verified: true,
  tokens: [],
  settings: [
    { path: '/open', visibility: 'public' },
    { path: '/open/diary', visibility: 'private' },
    { path: '/closed/let', visibility: 'hidden' },
  ],
  area: [dir('open', file('seen'), file('diary')), dir('closed', file('let'), file('alone')), file('note', 2n)],
}

const world = (one: WorldAccount) => ({ accounts: [one], triggers: [] })
const plan = { fates: [], added: [], rootless: false }

describe('the twin of an account', () => {
  it('keeps what a visitor may reach, and the directories on the way to it', () => {
    expect(twinOf({ ...plan, fates: ['removed'] })(account).area).toEqual([
      dir('open', file('seen')),
      dir('closed', file('let')),
    ])
    expect(twinOf({ ...plan, fates: ['swapped'] })(account).area).toEqual([
      dir('open', file('seen'), { ...dir('diary'), last_modified: 1n }),
      dir('closed', file('let'), { ...dir('alone'), last_modified: 1n }),
      { ...dir('note'), last_modified: 1n },
    ])
  })

  it('moves the time of a directory only where no visitor can see it', () => {
    expect(twinOf({ ...plan, fates: ['retouched'] })(account).area).toEqual([
      dir('open', file('seen'), { ...file('diary', 1n), last_modified: 1n }),
      { ...dir('closed', file('let'), { ...file('alone', 1n), last_modified: 1n }), last_modified: 1n },
      { ...file('note', 3n), last_modified: 1n },
    ])
  })

  it('renames only to names that are as private, and free', () => {
    // Not the diary: `/open/diary~` would be public.
    expect(twinOf({ ...plan, fates: ['renamed'] })(account).area).toEqual([
      dir('open', file('seen'), file('diary')),
      dir('closed', file('let'), file('alone~')),
      file('note~', 2n),
    ])
  })

  it('has new nodes only where they are invisible, without what would be visible of them', () => {
    const emptied = { ...account, area: [dir('open', file('seen'))] }
    const areas = [0, 1].map(
      (place) => twinOf({ ...plan, added: [{ place, node: dir('closed', file('let'), file('x')) }] })(emptied).area,
    )
    expect(areas).toEqual([
      [dir('open', file('seen')), dir('closed', file('x'))],
      [dir('open', file('seen'), dir('diary', file('let'), file('x')))],
    ])
  })

  it('loses its root only where nothing at all is visible', () => {
    const rootless = twinOf({ ...plan, rootless: true })
    expect(rootless(account)).toEqual(account)
    expect(rootless({ ...account, verified: false }).area).toBe('missing')
    expect(rootless({ ...account, settings: [], area: 'missing' }).area).toEqual([])
  })

  it('differs from it in its area alone, mostly does differ, and a visitor is told the same by the reference model', () => {
    let differing = 0
    fc.assert(
      fc.property(
        arbitraries.worldAccount(),
        twinPlan,
        fc.array(arbitraries.curiousVisitorPlan, { maxLength: 20 }),
        (one, drawn, plans) => {
          const other = twinOf(drawn)(one)
          expect({ ...other, area: one.area }).toEqual(one)
          if (!isDeepStrictEqual(one, other)) differing += 1
          for (const asked of [
            ...plans.map(arbitraries.askOf(world(one))),
            ...plans.map(arbitraries.askOf(world(other))),
          ]) {
            expect(model(world(other), asked)).toEqual(model(world(one), asked))
          }
        },
      ),
      { seed: 1, numRuns: 300 },
    )
    expect(differing).toBeGreaterThan(150)
  })
})
