import { Name, StoragePath } from '@canopy/domain'
import { arbitraries, model, type World } from '@canopy/testkit'
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import { describe, expect, it } from 'vitest'
import { client, Input, items } from '../src/index.js'
import { right } from './right.js'
import { serving } from './serving.js'
import { answered, typed } from './typed.js'

const token = right(Input.accessToken(`cnp_${'a'.repeat(42)}A`))

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

const names = fc.uniqueArray(arbitraries.name, { minLength: 15, maxLength: 40 })

describe('every legal name', () => {
  it('names a directory and a file in it, and comes back as it is', () =>
    fc.assert(
      fc.asyncProperty(names, (all) =>
        withService(worldOf(all), async (canopy) => {
          for (const name of all) {
            const path = right(
              pipe(
                StoragePath.fromNames([name, name]),
                E.fromOption(() => 'too long'),
              ),
            )
            const file = right(await canopy.storageTree({ token, path })())
            expect(file).toMatchObject({ type: 'file', name, size: 2n ** 64n - 1n, last_modified: 2n ** 53n + 1n })
          }
        }),
      ),
      { numRuns: 10 },
    ))

  it('can stand at the end of a page, and the next page begins behind it', () =>
    fc.assert(
      fc.asyncProperty(names, (all) =>
        withService(worldOf(all), async (canopy) => {
          const found: Array<string> = []
          for await (const item of items(canopy.storageDirItems({ token, path: StoragePath.root, limit: 1 }))) {
            found.push(right(item).name)
          }
          expect(found).toEqual([...all].sort(Name.byBytes.compare))
        }),
      ),
      { numRuns: 10 },
    ))

  it('can be a trigger id', () =>
    fc.assert(
      fc.asyncProperty(names, (all) =>
        withService(worldOf(all), async (canopy) => {
          for (const id of all) {
            expect(right(await canopy.triggerPeek({ id: right(Input.triggerId(id)) })())).toMatchObject({
              type: id,
              json: `{"type":${JSON.stringify(id)},"n":1.00}`,
            })
          }
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
            const programs = RA.compact(askable.map((ask) => typed(canopy, ask)))
            expect(await Promise.all(programs.map(answered))).toEqual(askable.map((ask) => model(world, ask)))
          }),
      ),
      { numRuns: 50 },
    )
  })
})
