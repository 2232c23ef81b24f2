import { Name } from '@canopy/domain'
import { file, token, worldWith } from '@canopy/test-support'
import { type Answer, type Ask, arbitraries, memoryPorts, model, scenarios, type World } from '@canopy/testkit'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApp } from '../../../apps/server/test/startApp.js'
import { type Client, createClient, type Failure, toResult } from '../src/index.js'
import { collect } from './stubService.js'

/** JSON with every bigint as plain digits. No text of an answer holds NUL. */
const exactJson = (value: unknown): string =>
  JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `\0${each}\0` : each)).replaceAll(/"?\\u0000"?/g, '')

/** Empty, which is always malformed, if the segment is. */
const decoded = (raw: string): string => {
  try {
    return decodeURIComponent(raw)
  } catch {
    return ''
  }
}

/** Sends a raw request through the client, and encodes the result as JSON again. */
const bodyOf = async (client: Client, ask: Ask): Promise<string> => {
  const credential = decoded(ask.credential)
  if (ask.operation === 'triggerPeek')
    return `{"type":"trigger peak","value":${(await client.triggerPeek({ id: credential })).json}}`
  const who = ask.operation.startsWith('storage') ? { token: credential } : { user: credential }
  const request = { ...ask, ...who, path: decoded(ask.path || '/') }
  if ('lines' in ask && ask.lines !== undefined) {
    const nodes = await collect(client.walk({ ...request, ...ask.lines }))
    return [...nodes, { type: 'end' }].map((node) => `${exactJson(node)}\n`).join('')
  }
  // The compiler cannot relate the operation to its request.
  const value = await client[ask.operation](request as never)
  return exactJson('items' in value ? { type: 'dir content', content: value.items } : { type: 'tree', content: value })
}

/** The client refuses more than the service: a slash at the end, and bounds that are not names. */
const isStricter = (ask: Ask): boolean => {
  const { path, after, lines } = { path: '', after: undefined, lines: undefined, ...ask }
  return /(\/|%2F)$/i.test(path) || [after, lines?.name].some((bound) => bound !== undefined && !Name.is(bound))
}

/** Returns the answer through the client, or the expected one where the client may refuse the input. */
const answerOf = async (client: Client, ask: Ask, expected: Answer): Promise<Answer | Failure> => {
  const result = await toResult(bodyOf(client, ask))
  if (!('failure' in result)) return { body: result.value }
  const mayRefuse = 'error' in expected || isStricter(ask)
  return result.failure.error === 'malformed input' && mayRefuse ? expected : result.failure
}

const withService = async (world: World, use: (canopy: Client) => Promise<void>): Promise<void> => {
  const { url, stop } = await startApp(memoryPorts(world))
  await use(createClient({ baseUrl: url, retries: 0 })).finally(stop)
}

describe('the scenarios through the client', () => {
  const services = new Map<World, Awaited<ReturnType<typeof startApp>>>()

  beforeAll(async () => {
    for (const world of new Set(scenarios.map((scenario) => scenario.world)))
      services.set(world, await startApp(memoryPorts(world)))
  })
  afterAll(() => Promise.all([...services.values()].map(({ stop }) => stop())))

  it.each(scenarios)('$name', async ({ world, ask, answer }) => {
    const baseUrl = services.get(world)?.url ?? 'no service'
    expect(await answerOf(createClient({ baseUrl, retries: 0 }), ask, answer)).toEqual(answer)
  })
})

it('every legal name is returned unchanged and can end a page', async () => {
  const names = [...new Set(fc.sample(arbitraries.name, 300))]
  await withService(worldWith(names.map((name) => file(name))), async (canopy) => {
    const found = await collect(canopy.storageItems({ token, path: '/', limit: 1 }))
    expect(found.map(({ name }) => name)).toEqual([...names].sort(Name.byBytes.compare))
    for (const name of names) expect(await canopy.storageTree({ token, path: `/${name}` })).toMatchObject({ name })
  })
})

it('any request to any world resolves through the client as in the model', async () => {
  const worldAndAsks = arbitraries
    .world()
    .chain((world) =>
      fc.tuple(fc.constant(world), fc.array(arbitraries.worldRequest(world), { minLength: 1, maxLength: 12 })),
    )
  await fc.assert(
    fc.asyncProperty(worldAndAsks, ([world, asks]) =>
      withService(world, async (canopy) => {
        for (const ask of asks) {
          const expected = model(world, ask)
          expect(await answerOf(canopy, ask, expected)).toEqual(expected)
        }
      }),
    ),
    { numRuns: 50 },
  )
})
