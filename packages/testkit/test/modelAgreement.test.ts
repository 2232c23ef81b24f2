import * as O from 'fp-ts/lib/Option.js'
import { expect, it } from 'vitest'
import { type Backend, coreBackend } from '../src/backends/Backend.js'
import { memoryPorts } from '../src/memoryPorts.js'
import { modelAgreement } from '../src/modelAgreement.js'
import type { WorldSetting } from '../src/World.js'

const close = async (): Promise<void> => undefined

const memory = coreBackend('the domain over memory', true, async (world) => ({ ports: memoryPorts(world), close }))

const takesHiddenForPublic: Backend = {
  ...memory,
  open: (world) => {
    const visible = ({ visibility, ...setting }: WorldSetting) =>
      ({ ...setting, visibility: visibility === 'hidden' ? 'public' : visibility }) as const
    const accounts = world.accounts.map((account) => ({ ...account, settings: account.settings.map(visible) }))
    return memory.open({ ...world, accounts })
  },
}

const options = { requests: 1200, seed: 2, faults: true, asksPerWorld: 25 }
const failures = ['external', 'file not found', 'invalid token', 'not verified', 'permission denied', 'type mismatch']
const empty = ['empty listing', 'no lines', 'tree of one directory', 'trigger', 'trigger not found']
const ofNodes = ['lines', 'listing', 'tree', 'tree of a file']

it('the domain over memory agrees with the model in every kind of answer', async () => {
  const { disagreement, requests, answers } = await modelAgreement(memory, { ...options, seed: 3 })
  expect(disagreement).toEqual(O.none)
  expect(requests).toBeGreaterThanOrEqual(options.requests)
  expect(new Set(Object.keys(answers))).toEqual(new Set([...failures, ...empty, ...ofNodes]))
  const count = (some: ReadonlyArray<string>) => some.reduce((sum, kind) => sum + (answers[kind] ?? 0), 0)
  expect(count(ofNodes) / requests).toBeGreaterThan(1 / 3)
})

it('a backend that takes hidden for public is found, with a world of one hidden setting', async () => {
  const { disagreement } = await modelAgreement(takesHiddenForPublic, options)
  const { world, expected, got } = O.getOrElseW(() => expect.fail('no disagreement'))(disagreement)
  const settings = world.accounts.flatMap((account) => account.settings)
  expect(settings.filter(({ visibility }) => visibility === 'hidden')).toHaveLength(1)
  expect(got).not.toEqual(expected)
})
