import { isDeepStrictEqual } from 'node:util'
import { Rules, Settings } from '@canopy/domain'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import { askInProcess } from '../../src/backends/Backend.js'
import { memoryPorts, mutableMemory } from '../../src/memoryPorts.js'
import { model } from '../../src/model.js'
import { byToken, byUser } from '../../src/scenarios/Scenario.js'
import { file, type Ports, type World } from '../../src/World.js'
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

it('a small world shows where a second setting is ignored', async () => {
  const firstOnly = (settings: Settings.Settings) => Settings.fromEntries([...Settings.entries(settings)].slice(0, 1))
  const { different } = await compare((ports) => ({
    ...ports,
    settingsOf: (user) => TE.map(firstOnly)(ports.settingsOf(user)),
  }))
  expect(different).toBeDefined()
})

it('a small world shows where rules are ignored', async () => {
  const { different } = await compare((ports) => ({
    ...ports,
    settingsOf: (user) => TE.map(Settings.withRules(Rules.none))(ports.settingsOf(user)),
  }))
  expect(different?.world.accounts[0]?.rules).toHaveLength(1)
})

const fileInTheWay: World = {
  accounts: [
    {
      id: '1',
      verified: true,
      tokens: [],
      settings: [{ path: '/f/x', visibility: 'public' }],
      area: [file('f')],
    },
  ],
  triggers: [],
}

it('a file in the way is answered by a registry that returns new objects each time', async () => {
  // These ports create new grants and settings in each call.
  const ports = memoryPorts(fileInTheWay)
  let callCount = 0
  const nodeAt: Ports['nodeAt'] = (area, path) => () => {
    callCount += 1
    if (callCount > 100) throw new Error('the storage is asked without end')
    return ports.nodeAt(area, path)()
  }
  const ask = byUser('1').tree('/f/x')
  expect(await askInProcess({ ...ports, nodeAt })(ask)).toEqual(model(fileInTheWay, ask))
})
