import { expect, it } from 'vitest'
import { askInProcess } from '../src/backends/Backend.js'
import { memoryPorts } from '../src/memoryPorts.js'
import { model } from '../src/model.js'
import { deadEntryScenarios, faultScenarios } from '../src/scenarios/errorScenarios.js'
import type { Scenario } from '../src/scenarios/Scenario.js'
import { fixture, scenarios } from '../src/scenarios/scenarios.js'

const all = [...scenarios, ...faultScenarios, ...deadEntryScenarios]

// The model does not cover triggers with a broken value.
const isOfModel = ({ ask }: Scenario): boolean => !(ask.operation === 'triggerPeek' && ask.credential === 'broken')

it.each(all)('asked of the domain over memory, and of the reference model: $name', async (scenario) => {
  const { world, ask, answer } = scenario
  const ofModel = isOfModel(scenario) ? model(world, ask) : answer
  expect([await askInProcess(memoryPorts(world))(ask), ofModel]).toEqual([answer, answer])
})

it.each([1, 2])('scenarios have the same answers over a storage with pages of %i', async (pageEntries) => {
  for (const { name, world, ask, answer } of all)
    expect([name, await askInProcess(memoryPorts(world, { pageEntries }))(ask)]).toEqual([name, answer])
})

it('the fixture answers as the worlds of all scenarios', async () => {
  const ask = askInProcess(memoryPorts(fixture(true)))
  for (const scenario of scenarios) expect(await ask(scenario.ask)).toEqual(scenario.answer)
})
