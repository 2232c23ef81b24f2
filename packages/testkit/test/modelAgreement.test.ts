import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { type Backend, coreBackend } from '../src/backends/Backend.js'
import { memoryPorts } from '../src/memoryPorts.js'
import { modelAgreement } from '../src/modelAgreement.js'
import type { World, WorldAccount } from '../src/World.js'

const close = async (): Promise<void> => undefined

const memory = coreBackend('the domain over memory', true, async (world) => ({ ports: memoryPorts(world), close }))

const inPages = coreBackend('the domain over memory in pages', true, async (world) => ({
  ports: memoryPorts(world, { pageEntries: 2 }),
  close,
}))

/** Seeds a changed world. */
const mistaking = (change: (account: WorldAccount) => WorldAccount): Backend => ({
  ...memory,
  open: (world) => memory.open({ ...world, accounts: world.accounts.map(change) }),
})

const takesHiddenForPublic = mistaking((account) => ({
  ...account,
  settings: account.settings.map((setting) =>
    setting.visibility === 'hidden' ? { ...setting, visibility: 'public' } : setting,
  ),
}))

const options = { requests: 1200, seed: 2, faults: true, asksPerWorld: 25 }

const disagreementOf = async (backend: Backend) => {
  const { disagreement } = await modelAgreement(backend, options)
  return O.isSome(disagreement) ? disagreement.value : expect.fail('nothing was caught')
}

const nodesOf = ({ accounts }: World) => accounts.flatMap(({ area }) => (area === 'missing' ? [] : area))

const kinds = [
  'empty listing',
  'external',
  'file not found',
  'invalid token',
  'lines',
  'listing',
  'no lines',
  'not verified',
]
const others = ['permission denied', 'tree', 'tree of a file', 'tree of one directory', 'trigger', 'trigger not found']

describe('agreement with the reference model', () => {
  it('is what the domain over memory has, in every kind of answer, a third of them showing nodes', async () => {
    const { disagreement, requests, answers } = await modelAgreement(memory, { ...options, seed: 3 })
    expect(disagreement).toEqual(O.none)
    expect(requests).toBeGreaterThanOrEqual(options.requests)
    expect(Object.keys(answers).sort()).toEqual([...kinds, ...others, 'type mismatch'])
    const count = (some: ReadonlyArray<string>) => some.reduce((sum, kind) => sum + (answers[kind] ?? 0), 0)
    expect(count(Object.keys(answers))).toBe(requests)
    expect(count(['tree', 'tree of a file', 'listing', 'lines']) / requests).toBeGreaterThan(1 / 3)
  })

  it('holds over a storage with pages of two entries', async () => {
    const { disagreement } = await modelAgreement(inPages, { ...options, seed: 4, faults: false })
    expect(disagreement).toEqual(O.none)
  })

  it('fails for a backend that takes hidden for public, with the smallest world that shows it', async () => {
    const { world, expected, got } = await disagreementOf(takesHiddenForPublic)
    expect([world.accounts.length, world.triggers.length]).toEqual([1, 0])
    const settings = world.accounts.flatMap((account) => account.settings)
    expect(settings.filter(({ visibility }) => visibility === 'hidden')).toHaveLength(1)
    expect(nodesOf(world).length).toBeLessThanOrEqual(2)
    expect(got).not.toEqual(expected)
  })
})
