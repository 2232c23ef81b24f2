import { AccessToken, Name, StoragePath, TriggerId, UserId } from '@canopy/domain'
import { file, token, worldWith } from '@canopy/test-support'
import { type Answer, type Ask, arbitraries, model, scenarios, type World } from '@canopy/testkit'
import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Client,
  createClient,
  type DirectoryItem,
  type Failure,
  type TreeNode,
  toResult,
  type WalkedNode,
  type WalkRequest,
} from '../src/index.js'
import { type Service, serving } from './serving.js'
import { collect } from './stubService.js'

/** JSON with every bigint as plain digits. No text of an answer holds NUL. */
const exactJson = (value: unknown): string =>
  JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `\0${each}\0` : each)).replaceAll(/"?\\u0000"?/g, '')

const treeJson = (content: TreeNode): string => exactJson({ type: 'tree', content })

const listingJson = ({ items }: { readonly items: ReadonlyArray<DirectoryItem> }): string =>
  exactJson({ type: 'dir content', content: items })

/** A path in the form of the client, which has no trailing slash. */
const pathOf = (raw: string): string | undefined => {
  const asked = O.toUndefined(StoragePath.fromRaw(raw))
  return asked?.mustBeDirectory === true && asked.path !== StoragePath.root ? undefined : asked?.path
}

const linesText = (nodes: ReadonlyArray<WalkedNode>): string =>
  [...nodes.map(exactJson), '{"type":"end"}'].map((line) => `${line}\n`).join('')

type Answered = () => Promise<Answer | Failure>

const answered =
  <A>(call: () => ReturnType<typeof toResult<A, Failure>>, json: (value: A) => string): Answered =>
  async () => {
    const outcome = await call()
    return 'failure' in outcome ? outcome.failure : { body: json(outcome.value) }
  }

const peekJson = ({ json }: { readonly json: string }): string => `{"type":"trigger peak","value":${json}}`

/**
 * Sends a raw request through the client and encodes the result as JSON again. `undefined` if the client refuses the input
 * as malformed: a token, id, path or name, or a trailing slash.
 */
const typed = (client: Client, ask: Ask): Answered | undefined => {
  const token = O.toUndefined(AccessToken.fromRawSegment(ask.credential))
  const user = O.toUndefined(UserId.fromRawSegment(ask.credential))
  const id = O.toUndefined(TriggerId.fromRawSegment(ask.credential))
  if (ask.operation === 'triggerPeek') return id && answered(() => toResult(client.triggerPeek({ id })), peekJson)
  const path = pathOf(ask.path)
  if (path === undefined) return undefined
  const { depth, limit, after } = { depth: undefined, limit: undefined, after: undefined, ...ask }
  if (after !== undefined && !Name.is(after)) return undefined
  if ('lines' in ask && ask.lines !== undefined) {
    const { operation, lines } = ask
    // The client refuses these patterns too: they match no name.
    if (lines.name !== undefined && !Name.is(lines.name)) return undefined
    const bounds = { path, depth, ...lines }
    const nodes = (request: WalkRequest) => answered(() => toResult(collect(client.walk(request))), linesText)
    if (operation === 'storageTree') return token && nodes({ token, ...bounds })
    return user === undefined ? undefined : nodes({ user, ...bounds })
  }
  if (ask.operation === 'storageTree')
    return token && answered(() => toResult(client.storageTree({ token, path, depth })), treeJson)
  if (ask.operation === 'storageDirItems')
    return token && answered(() => toResult(client.storageDirItems({ token, path, limit, after })), listingJson)
  if (user === undefined) return undefined
  return ask.operation === 'userContentTree'
    ? answered(() => toResult(client.userContentTree({ user, path, depth })), treeJson)
    : answered(() => toResult(client.userContentDirItems({ user, path, limit, after })), listingJson)
}

const nowhere = createClient({ baseUrl: 'http://127.0.0.1' })
const askable = scenarios.filter(({ ask }) => typed(nowhere, ask) !== undefined)
const unaskable = scenarios.filter((scenario) => !askable.includes(scenario))

describe('the scenarios through the client', () => {
  const services = new Map<World, Service>()

  beforeAll(async () => {
    for (const world of new Set(scenarios.map((scenario) => scenario.world))) services.set(world, await serving(world))
  })
  afterAll(async () => {
    await Promise.all([...services.values()].map(({ stop }) => stop()))
  })

  it.each(askable)('$name', async ({ world, ask, answer }) => {
    const { baseUrl } = services.get(world) ?? { baseUrl: 'http://127.0.0.1' }
    expect(await typed(createClient({ baseUrl, retries: 0 }), ask)?.()).toEqual(answer)
  })

  it('refused input is malformed or has a trailing slash', () => {
    const answered = unaskable.filter(({ answer }) => 'body' in answer)
    expect(answered.filter(({ ask }) => !('path' in ask) || !/(\/|%2F)$/i.test(ask.path))).toEqual([])
  })
})

const withService = async (world: World, use: (asking: Client) => Promise<void>): Promise<void> => {
  const { baseUrl, stop } = await serving(world)
  try {
    await use(createClient({ baseUrl, retries: 0 }))
  } finally {
    await stop()
  }
}

it('every legal name is returned unchanged and can end a page', async () => {
  const names = [...new Set(fc.sample(arbitraries.name, 300))]
  await withService(worldWith(names.map((name) => file(name))), async (canopy) => {
    const found = await collect(canopy.storageItems({ token, path: '/', limit: 1 }))
    expect(found.map(({ name }) => name)).toEqual([...names].sort(Name.byBytes.compare))
    for (const name of names) expect(await canopy.storageTree({ token, path: `/${name}` })).toMatchObject({ name })
  })
})

it('any request to any world resolves through the client as in the model', async () => {
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
