import type { Listing } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { askInProcess } from '../src/backends/Backend.js'
import { memoryPorts } from '../src/memoryPorts.js'
import { model } from '../src/model.js'
import { deadEntryScenarios, faultScenarios } from '../src/scenarios/errorScenarios.js'
import type { Answer, Ask, Scenario } from '../src/scenarios/Scenario.js'
import { fixture, scenarios } from '../src/scenarios/scenarios.js'
import type { Ports } from '../src/World.js'

const ofFaults = [...faultScenarios, ...deadEntryScenarios]
const all = [...scenarios, ...ofFaults]

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

describe('the fixture', () => {
  it('answers as the worlds of all scenarios', async () => {
    const ask = askInProcess(memoryPorts(fixture(true)))
    for (const scenario of scenarios) expect(await ask(scenario.ask)).toEqual(scenario.answer)
  })
})

type Service = (ask: Ask) => Promise<Answer>

const listing =
  (broken: (list: Ports['list']) => Ports['list']) =>
  (ports: Ports): Service =>
    askInProcess({ ...ports, list: broken(ports.list) })

const answering =
  (broken: (answer: Answer, ask: Ask, service: Service) => Answer | Promise<Answer>) =>
  (ports: Ports): Service =>
  async (ask) =>
    broken(await askInProcess(ports)(ask), ask, askInProcess(ports))

const isTree = ({ operation }: Ask): boolean => operation === 'storageTree' || operation === 'userContentTree'

/** A service that gets it wrong, and a scenario that catches it. */
const wrong: ReadonlyArray<readonly [what: string, caughtBy: string, service: (ports: Ports) => Service]> = [
  [
    'takes a locked directory for an empty one',
    'a listing of a locked directory is external',
    listing(
      (list) => (area, path) =>
        pipe(
          list(area, path),
          TE.orElse((failure) =>
            failure.error === 'external'
              ? TE.right<never, Listing.Listing>({ entries: [], unlistable: 0 })
              : TE.left(failure),
          ),
        ),
    ),
  ],
  [
    'answers a tree of a locked directory that is not expanded',
    'a tree of a locked directory is external',
    answering((answer, ask, service) =>
      'error' in answer && isTree(ask) ? service({ ...ask, depth: 0 } as Ask) : answer,
    ),
  ],
  [
    'shows everyone what cannot be looked at',
    'a visitor does not hear of a private entry that cannot be looked at',
    listing(
      (list) => (area, path) =>
        pipe(
          list(area, path),
          TE.filterOrElseW(
            ({ unknown }) => unknown === undefined,
            ({ unknown }) => ({ error: 'external', cause: unknown?.cause }) as const,
          ),
        ),
    ),
  ],
]

describe('the scenarios of unreadable nodes', () => {
  it.each(wrong)('catch a service that %s', async (_, caughtBy, service) => {
    const caught = ofFaults.filter(({ name }) => name === caughtBy)
    expect(caught).toHaveLength(1)
    for (const { world, ask, answer } of caught) expect(await service(memoryPorts(world))(ask)).not.toEqual(answer)
  })
})
