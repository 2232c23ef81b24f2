import { describe, expect, it } from 'vitest'
import { askInProcess } from '../../src/backends/Backend.js'
import { scenarios } from '../../src/scenarios/scenarios.js'
import { memoryPorts } from '../../src/World.js'

describe('the scenarios, asked of the domain over memory', () => {
  it.each(scenarios)('$name', async ({ world, ask, answer }) => {
    expect(await askInProcess(memoryPorts(world))(ask)).toEqual(answer)
  })

  it('have names of their own', () => {
    const names = scenarios.map(({ name }) => name)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })
})
