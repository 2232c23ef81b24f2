import type { Settings } from '@canopy/domain'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import { askInProcess } from '../src/backends/Backend.js'
import { memoryPorts } from '../src/memoryPorts.js'
import { model } from '../src/model.js'
import { deadEntryScenarios, faultScenarios } from '../src/scenarios/errorScenarios.js'
import type { Scenario } from '../src/scenarios/Scenario.js'
import { fixture, scenarios } from '../src/scenarios/scenarios.js'
import type { Ports } from '../src/World.js'

const all = [...scenarios, ...faultScenarios, ...deadEntryScenarios]

// The model does not cover triggers with a broken value.
const isOfModel = ({ ask }: Scenario): boolean => !(ask.operation === 'triggerPeek' && ask.credential === 'broken')

it.each(all)('asked of the domain over memory, and of the reference model: $name', async (scenario) => {
  const { world, ask, answer } = scenario
  const ofModel = isOfModel(scenario) ? model(world, ask) : answer
  expect([await askInProcess(memoryPorts(world))(ask), ofModel]).toEqual([answer, answer])
})

it.each([1, 2])('answers do not depend on pages of %i, or on new values in each call', async (pageEntries) => {
  for (const { name, world, ask, answer } of all) {
    const ports = memoryPorts(world, { pageEntries })
    let calls = 0
    const settingsOf: Ports['settingsOf'] = (user) => {
      calls += 1
      if (calls > 100) throw new Error(`${name}: asks without end`)
      return TE.map((same: Settings.Settings) => ({ ...same }))(ports.settingsOf(user))
    }
    expect([name, await askInProcess({ ...ports, settingsOf })(ask)]).toEqual([name, answer])
  }
})

it('the fixture answers as the worlds of all scenarios', async () => {
  const ask = askInProcess(memoryPorts(fixture(true)))
  for (const scenario of scenarios) expect(await ask(scenario.ask)).toEqual(scenario.answer)
})
