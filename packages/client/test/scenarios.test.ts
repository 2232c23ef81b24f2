import { AccessToken, Name, StoragePath, TriggerId, UserId } from '@canopy/domain'
import { type Answer, type Ask, arbitraries, model, scenarios, type World } from '@canopy/testkit'
import * as fc from 'fast-check'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, client, type DirectoryItem, type Failure, result, type TreeNode } from '../src/index.js'
import { collected, token } from './answering.js'
import { type Service, serving } from './serving.js'

/** JSON with every bigint as plain digits. No text of an answer holds NUL. */
const exactJson = (value: unknown): string =>
  JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `\0${each}\0` : each)).replaceAll(/"?\\u0000"?/g, '')

const treeJson = (content: TreeNode): string => exactJson({ type: 'tree', content })

const listingJson = ({ items }: { readonly items: ReadonlyArray<DirectoryItem> }): string =>
  exactJson({ type: 'dir content', content: items })

/** A path as the client takes it: without a trailing slash, which only the root can do without. */
const pathOf = (raw: string): O.Option<string> =>
  pipe(
    StoragePath.fromRaw(raw),
    O.filter(({ path, mustBeDirectory }) => !mustBeDirectory || path === StoragePath.root),
    O.map(({ path }) => path),
  )

type Answered = () => Promise<Answer | Failure>

const answered =
  <A>(call: () => ReturnType<typeof result<A, Failure>>, json: (value: A) => string): Answered =>
  async () => {
    const outcome = await call()
    return 'failure' in outcome ? outcome.failure : { body: json(outcome.value) }
  }

/**
 * A raw question asked through the client, its answer written as JSON again; `none` when the client refuses it as
 * malformed: a token, id, path or name, or a trailing slash.
 */
const typed = (client: Client, ask: Ask): O.Option<Answered> => {
  if (ask.operation === 'triggerPeek')
    return pipe(
      TriggerId.fromRawSegment(ask.credential),
      O.map((id) =>
        answered(
          () => result(client.triggerPeek({ id })),
          ({ json }) => `{"type":"trigger peak","value":${json}}`,
        ),
      ),
    )
  const ofToken = pipe(
    O.Do,
    O.apS('token', AccessToken.fromRawSegment(ask.credential)),
    O.apS('path', pathOf(ask.path)),
  )
  const ofUser = pipe(O.Do, O.apS('user', UserId.fromRawSegment(ask.credential)), O.apS('path', pathOf(ask.path)))
  switch (ask.operation) {
    case 'storageTree':
      return pipe(
        ofToken,
        O.map((to) => answered(() => result(client.storageTree({ ...to, depth: ask.depth })), treeJson)),
      )
    case 'userContentTree':
      return pipe(
        ofUser,
        O.map((to) => answered(() => result(client.userContentTree({ ...to, depth: ask.depth })), treeJson)),
      )
    case 'storageDirItems':
    case 'userContentDirItems': {
      const { operation, limit, after } = ask
      if (after !== undefined && !Name.is(after)) return O.none
      return operation === 'storageDirItems'
        ? pipe(
            ofToken,
            O.map((to) => answered(() => result(client.storageDirItems({ ...to, limit, after })), listingJson)),
          )
        : pipe(
            ofUser,
            O.map((to) => answered(() => result(client.userContentDirItems({ ...to, limit, after })), listingJson)),
          )
    }
  }
}

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

const worldOf = (names: ReadonlyArray<Name.Name>): World => ({
  accounts: [
    {
      id: '1',
      verified: true,
      tokens: [{ token, scope: '/', state: 'valid' }],
      settings: [],
      area: names.map((name) => ({
        type: 'dir',
        name,
        last_modified: 1n,
        content: [{ type: 'file', name, size: 2n ** 64n - 1n, last_modified: 2n ** 53n + 1n }],
      })),
    },
  ],
  triggers: names.map((id) => ({ id, value: `{"type":${JSON.stringify(id)},"n":1.00}`, state: 'valid' as const })),
})

const withService = async (world: World, use: (asking: ReturnType<typeof client>) => Promise<void>): Promise<void> => {
  const { baseUrl, stop } = await serving(world)
  try {
    await use(client({ baseUrl, retries: 0 }))
  } finally {
    await stop()
  }
}

describe('every legal name', () => {
  it('names a directory, a file and a trigger, comes back as it is, and can stand at the end of a page', () =>
    fc.assert(
      fc.asyncProperty(fc.uniqueArray(arbitraries.name, { minLength: 15, maxLength: 40 }), (all) =>
        withService(worldOf(all), async (canopy) => {
          for (const name of all) {
            expect(await canopy.storageTree({ token, path: `/${name}/${name}` })).toMatchObject({
              type: 'file',
              name,
              size: 2n ** 64n - 1n,
              last_modified: 2n ** 53n + 1n,
            })
            const json = `{"type":${JSON.stringify(name)},"n":1.00}`
            expect(await canopy.triggerPeek({ id: name })).toMatchObject({ type: name, json })
          }
          const found = await collected(canopy.storageItems({ token, path: '/', limit: 1 }))
          expect(found.map(({ name }) => name)).toEqual([...all].sort(Name.byBytes.compare))
        }),
      ),
      { numRuns: 10 },
    ))
})

describe('any request to any world', () => {
  it('is answered through the client as the interface says', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraries
          .world()
          .chain((world) =>
            fc.tuple(fc.constant(world), fc.array(arbitraries.worldRequest(world), { minLength: 1, maxLength: 12 })),
          ),
        ([world, asks]) =>
          withService(world, async (canopy) => {
            const askable = asks.filter((ask) => O.isSome(typed(canopy, ask)))
            const asked = RA.compact(askable.map((ask) => typed(canopy, ask)))
            expect(await Promise.all(asked.map((each) => each()))).toEqual(askable.map((ask) => model(world, ask)))
          }),
      ),
      { numRuns: 50 },
    )
  })
})
