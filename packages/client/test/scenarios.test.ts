import { AccessToken, Name, StoragePath, TriggerId, UserId } from '@canopy/domain'
import { file, token, worldWith } from '@canopy/test-support'
import { type Answer, type Ask, arbitraries, model, scenarios, type World } from '@canopy/testkit'
import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, client, type DirectoryItem, type Failure, result, type TreeNode } from '../src/index.js'
import { collected } from './answering.js'
import { type Service, serving } from './serving.js'

/** JSON with every bigint as plain digits. No text of an answer holds NUL. */
const exactJson = (value: unknown): string =>
  JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `\0${each}\0` : each)).replaceAll(/"?\\u0000"?/g, '')

const treeJson = (content: TreeNode): string => exactJson({ type: 'tree', content })

const listingJson = ({ items }: { readonly items: ReadonlyArray<DirectoryItem> }): string =>
  exactJson({ type: 'dir content', content: items })

/** A path as the client takes it: without a trailing slash, which only the root can do without. */
const pathOf = (raw: string): string | undefined => {
  const asked = O.toUndefined(StoragePath.fromRaw(raw))
  return asked?.mustBeDirectory === true && asked.path !== StoragePath.root ? undefined : asked?.path
}

type Answered = () => Promise<Answer | Failure>

const answered =
  <A>(call: () => ReturnType<typeof result<A, Failure>>, json: (value: A) => string): Answered =>
  async () => {
    const outcome = await call()
    return 'failure' in outcome ? outcome.failure : { body: json(outcome.value) }
  }

const peekJson = ({ json }: { readonly json: string }): string => `{"type":"trigger peak","value":${json}}`

/**
 * A raw question asked through the client, its answer written as JSON again; `undefined` when the client refuses it as
 * malformed: a token, id, path or name, or a trailing slash.
 */
const typed = (client: Client, ask: Ask): Answered | undefined => {
  const token = O.toUndefined(AccessToken.fromRawSegment(ask.credential))
  const user = O.toUndefined(UserId.fromRawSegment(ask.credential))
  const id = O.toUndefined(TriggerId.fromRawSegment(ask.credential))
  if (ask.operation === 'triggerPeek') return id && answered(() => result(client.triggerPeek({ id })), peekJson)
  const path = pathOf(ask.path)
  if (path === undefined) return undefined
  const { depth, limit, after } = { depth: undefined, limit: undefined, after: undefined, ...ask }
  if (after !== undefined && !Name.is(after)) return undefined
  if (ask.operation === 'storageTree')
    return token && answered(() => result(client.storageTree({ token, path, depth })), treeJson)
  if (ask.operation === 'storageDirItems')
    return token && answered(() => result(client.storageDirItems({ token, path, limit, after })), listingJson)
  if (user === undefined) return undefined
  return ask.operation === 'userContentTree'
    ? answered(() => result(client.userContentTree({ user, path, depth })), treeJson)
    : answered(() => result(client.userContentDirItems({ user, path, limit, after })), listingJson)
}

const nowhere = client({ baseUrl: 'http://127.0.0.1' })
const askable = scenarios.filter(({ ask }) => typed(nowhere, ask) !== undefined)
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
    expect(await typed(client({ baseUrl, retries: 0 }), ask)?.()).toEqual(answer)
  })

  it('each error of each operation is among them', () => {
    expect(errorsOf(askable)).toEqual(errorsOf(scenarios))
  })

  it('what the client refuses is malformed, or has a trailing slash that the root can do without', () => {
    const answered = unaskable.filter(({ answer }) => 'body' in answer)
    expect(answered.filter(({ ask }) => !('path' in ask) || !/(\/|%2F)$/i.test(ask.path))).toEqual([])
  })
})

const withService = async (world: World, use: (asking: Client) => Promise<void>): Promise<void> => {
  const { baseUrl, stop } = await serving(world)
  try {
    await use(client({ baseUrl, retries: 0 }))
  } finally {
    await stop()
  }
}

it('every legal name comes back as it is, and can stand at the end of a page', async () => {
  const names = [...new Set(fc.sample(arbitraries.name, 300))]
  await withService(worldWith(names.map((name) => file(name))), async (canopy) => {
    const found = await collected(canopy.storageItems({ token, path: '/', limit: 1 }))
    expect(found.map(({ name }) => name)).toEqual([...names].sort(Name.byBytes.compare))
    for (const name of names) expect(await canopy.storageTree({ token, path: `/${name}` })).toMatchObject({ name })
  })
})

it('any request to any world is answered through the client as the interface says', async () => {
  const asksOf = (world: World) => fc.array(arbitraries.worldRequest(world), { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(
      arbitraries.world().chain((world) => fc.tuple(fc.constant(world), asksOf(world))),
      ([world, asks]) =>
        withService(world, async (canopy) => {
          const askable = asks.filter((ask) => typed(canopy, ask) !== undefined)
          const answers = await Promise.all(askable.map(async (ask) => typed(canopy, ask)?.()))
          expect(answers).toEqual(askable.map((ask) => model(world, ask)))
        }),
    ),
    { numRuns: 50 },
  )
})
