import { isDeepStrictEqual } from 'node:util'
import { expect, it } from 'vitest'
import { askInProcess } from '../../src/backends/Backend.js'
import { mutableMemory } from '../../src/memoryPorts.js'
import { model } from '../../src/model.js'
import { byToken, byUser } from '../../src/scenarios/Scenario.js'
import { smallWorlds, token } from './smallWorlds.js'

const [owner, visitor] = [byToken(token), byUser('1')]

/** `npm test` takes every third of the largest worlds. */
const isEveryday = process.env['CANOPY_TEST'] === 'everyday'
const worlds = smallWorlds().filter(({ paths }, index) => !isEveryday || paths.length < 4 || index % 3 === 0)

it('every small world is answered as the model says', async () => {
  let requests = 0
  for (const [index, { world, paths }] of worlds.entries()) {
    // Neighbouring worlds have the same nodes.
    const ports = mutableMemory(index % 2 === 0 ? {} : { pageEntries: 1 })(() => world)
    for (const ask of [owner.tree(), visitor.items(), ...['', ...paths].map((path) => visitor.tree(path))]) {
      requests += 1
      const [expected, found] = [model(world, ask), await askInProcess(ports)(ask)]
      if (!isDeepStrictEqual(expected, found))
        expect({ world, ask, answer: found }).toEqual({ world, ask, answer: expected })
    }
  }
  expect(requests).toBeGreaterThan(isEveryday ? 20_000 : 60_000)
})
