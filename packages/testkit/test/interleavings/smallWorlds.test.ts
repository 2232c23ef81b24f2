import { isDeepStrictEqual } from 'node:util'
import { Rules, Settings } from '@canopy/domain'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import { askInProcess } from '../../src/backends/Backend.js'
import { mutableMemory } from '../../src/memoryPorts.js'
import { model } from '../../src/model.js'
import { byToken, byUser } from '../../src/scenarios/Scenario.js'
import type { Ports } from '../../src/World.js'
import { smallWorlds, token } from './smallWorlds.js'

const [owner, visitor] = [byToken(token), byUser('1')]

/** `npm test` takes every third of the largest worlds. */
const isEveryday = process.env['CANOPY_TEST'] === 'everyday'
const worlds = smallWorlds().filter(({ paths }, index) => !isEveryday || paths.length < 4 || index % 3 === 0)

/** Compares the domain with the model up to the first difference. */
const compare = async (portsOf: (ports: Ports) => Ports = (ports) => ports) => {
  let requests = 0
  for (const [index, { world, paths }] of worlds.entries()) {
    // Neighbouring worlds have the same nodes.
    const ports = mutableMemory(index % 2 === 0 ? {} : { pageEntries: 1 })(() => world)
    const asks = [owner.tree(), visitor.items(), ...['', ...paths].map((path) => visitor.tree(path))]
    for (const ask of asks) {
      requests += 1
      const [expected, found] = [model(world, ask), await askInProcess(portsOf(ports))(ask)]
      if (!isDeepStrictEqual(expected, found)) return { requests, different: { world, ask, expected, found } }
    }
  }
  return { requests }
}

it('every small world is answered as the model says', async () => {
  const { requests, different } = await compare()
  expect(different).toBeUndefined()
  expect(requests).toBeGreaterThan(isEveryday ? 20_000 : 60_000)
})

it.each<[string, (settings: Settings.Settings) => Settings.Settings]>([
  ['a second setting is', (settings) => Settings.fromEntries([...Settings.entries(settings)].slice(0, 1))],
  ['rules are', Settings.withRules(Rules.none)],
])('a small world shows where %s ignored', async (_, change) => {
  const { different } = await compare((ports) => ({
    ...ports,
    settingsOf: (user) => TE.map(change)(ports.settingsOf(user)),
  }))
  expect(different).toBeDefined()
})
