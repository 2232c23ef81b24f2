import type { Listing } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { askInProcess } from '../../src/backends/Backend.js'
import { model } from '../../src/model.js'
import { deadEntryScenarios, faultScenarios } from '../../src/scenarios/errorScenarios.js'
import type { Answer, Ask } from '../../src/scenarios/Scenario.js'
import { memoryPorts, type Ports } from '../../src/World.js'

const all = [...faultScenarios, ...deadEntryScenarios]

describe('the scenarios of what cannot be read, asked of the domain over memory', () => {
  it.each(all)('$name', async ({ world, ask, answer }) => {
    expect(await askInProcess(memoryPorts(world))(ask)).toEqual(answer)
  })

  it.each(all)('and of the reference model: $name', ({ world, ask, answer }) => {
    expect(model(world, ask)).toEqual(answer)
  })

  it('have names of their own', () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  })
})

type Service = (ask: Ask) => Promise<Answer>

const overPorts =
  (broken: (list: Ports['list']) => Ports['list']) =>
  (ports: Ports): Service =>
    askInProcess({ ...ports, list: broken(ports.list) })

const listings = (change: (listing: Listing.Listing) => Listing.Listing) =>
  overPorts(
    (list) => (area, path) =>
      pipe(
        list(area, path),
        TE.map((listing) => change(listing)),
      ),
  )

const isTree = ({ operation }: Ask): boolean => operation === 'storageTree' || operation === 'userContentTree'

/** A service that gets it wrong, and a scenario that catches it. */
const wrong: ReadonlyArray<readonly [what: string, caughtBy: string, service: (ports: Ports) => Service]> = [
  [
    'takes a locked directory for an empty one',
    'a listing of a locked directory is external',
    overPorts(
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
    'leaves a locked directory out of a tree',
    'a locked directory below the one that was asked for is not expanded, and takes nothing else away',
    overPorts((list) => (area, path) => async () => {
      const listing = await list(area, path)()
      return E.isLeft(listing) && path !== '/docs' ? E.left({ error: 'file not found' }) : listing
    }),
  ],
  [
    'gives no tree where a part of it is locked',
    'a locked directory below the one that was asked for is not expanded, and takes nothing else away',
    (ports) => async (ask) => {
      const answer = await askInProcess(ports)(ask)
      const isWhole = 'error' in answer || !/"name":"locked","visibility":[^}]*\}\}/.test(answer.body)
      return !isTree(ask) || isWhole ? answer : { error: 'external' }
    },
  ],
  [
    'answers a tree of a locked directory that is not expanded',
    'a tree of a locked directory is external',
    (ports) => async (ask) => {
      const answer = await askInProcess(ports)(ask)
      return 'error' in answer && isTree(ask) ? askInProcess(ports)({ ...ask, depth: 0 } as Ask) : answer
    },
  ],
  [
    'leaves out what cannot be looked at',
    'a listing of it is external',
    listings(({ entries, unlistable }) => ({ entries, unlistable })),
  ],
  [
    'shows everyone what cannot be looked at',
    'a visitor does not hear of a private entry that cannot be looked at',
    overPorts(
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

describe('the scenarios of what cannot be read', () => {
  it.each(wrong)('catch a service that %s', async (_, caughtBy, service) => {
    const scenario = all.find(({ name }) => name === caughtBy)
    if (scenario === undefined) throw new Error('there is no such scenario')
    expect(await service(memoryPorts(scenario.world))(scenario.ask)).not.toEqual(scenario.answer)
  })
})
