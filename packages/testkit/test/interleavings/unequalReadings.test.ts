import { expect, it } from 'vitest'
import { askInProcess } from '../../src/backends/Backend.js'
import { model } from '../../src/model.js'
import { byUser } from '../../src/scenarios/Scenario.js'
import { file, memoryPorts, type Ports, type World } from '../../src/World.js'

const world: World = {
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
  // These ports build grants and settings anew for each call.
  const ports = memoryPorts(world)
  let callCount = 0
  const nodeAt: Ports['nodeAt'] = (area, path) => () => {
    callCount += 1
    if (callCount > 100) throw new Error('the storage is asked without end')
    return ports.nodeAt(area, path)()
  }
  const ask = byUser('1').tree('/f/x')
  expect(await askInProcess({ ...ports, nodeAt })(ask)).toEqual(model(world, ask))
})
