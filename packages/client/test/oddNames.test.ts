import { Name } from '@canopy/domain'
import { arbitraries, model, type World } from '@canopy/testkit'
import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import { describe, expect, it } from 'vitest'
import { client } from '../src/index.js'
import { collected } from './answering.js'
import { serving } from './serving.js'
import { typed } from './typed.js'

const token = `cnp_${'a'.repeat(42)}A`

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
            expect(await canopy.storageTree({ token, path: `/${name}/${name}` })).toMatchObject({
              type: 'file',
              name,
              size: 2n ** 64n - 1n,
              last_modified: 2n ** 53n + 1n,
            })
          }
        }),
      ),
      { numRuns: 10 },
    ))

  it('can stand at the end of a page, and the next page begins behind it', () =>
    fc.assert(
      fc.asyncProperty(names, (all) =>
        withService(worldOf(all), async (canopy) => {
          const found = await collected(canopy.storageItems({ token, path: '/', limit: 1 }))
          expect(found.map(({ name }) => name)).toEqual([...all].sort(Name.byBytes.compare))
        }),
      ),
      { numRuns: 10 },
    ))

  it('can be a trigger id', () =>
    fc.assert(
      fc.asyncProperty(names, (all) =>
        withService(worldOf(all), async (canopy) => {
          for (const id of all) {
            expect(await canopy.triggerPeek({ id })).toMatchObject({
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
            const asked = RA.compact(askable.map((ask) => typed(canopy, ask)))
            expect(await Promise.all(asked.map((each) => each()))).toEqual(askable.map((ask) => model(world, ask)))
          }),
      ),
      { numRuns: 50 },
    )
  })
})
