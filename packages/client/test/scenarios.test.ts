import { scenarios, type World } from '@canopy/testkit'
import * as O from 'fp-ts/lib/Option.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client } from '../src/index.js'
import { type Service, serving } from './serving.js'
import { typed } from './typed.js'

const nowhere = client({ baseUrl: 'http://127.0.0.1' })
const askable = scenarios.filter(({ ask }) => O.isSome(typed(nowhere, ask)))
const unaskable = scenarios.filter((scenario) => !askable.includes(scenario))

const errorsOf = (some: typeof scenarios): ReadonlySet<string> =>
  new Set(some.flatMap(({ ask, answer }) => ('error' in answer ? [`${ask.operation}: ${answer.error}`] : [])))

describe('the scenarios, asked through the client of the service over memory', () => {
  const services = new Map<World, Service>()

  beforeAll(async () => {
    for (const world of new Set(scenarios.map((scenario) => scenario.world))) services.set(world, await serving(world))
  })
  afterAll(async () => {
    await Promise.all([...services.values()].map(({ stop }) => stop()))
  })

  it.each(askable)('$name', async ({ world, ask, answer }) => {
    const { baseUrl } = services.get(world) ?? { baseUrl: 'http://127.0.0.1' }
    const asked = typed(client({ baseUrl, retries: 0 }), ask)
    expect(O.isSome(asked) ? await asked.value() : 'not asked').toEqual(answer)
  })

  it('each error of each operation is among them', () => {
    expect(errorsOf(askable)).toEqual(errorsOf(scenarios))
  })

  it('what the client refuses is malformed, or has a trailing slash that the root can do without', () => {
    const answered = unaskable.filter(({ answer }) => 'body' in answer)
    expect(answered.filter(({ ask }) => !('path' in ask) || !/(\/|%2F)$/i.test(ask.path))).toEqual([])
  })
})
