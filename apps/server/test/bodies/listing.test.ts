import { type Items, Name, U64 } from '@canopy/domain'
import { busyFor, countTicks } from '@canopy/test-support'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { listingBody } from '../../src/bodies/listing.js'

const item = (name: string): Items.DirectoryItem => ({
  visibility: { inherited: true, visibility: 'public' },
  is_file: true,
  name: O.getOrElseW((): never => expect.fail(name))(Name.fromString(name)),
  last_modified: U64.zero,
  size: U64.zero,
})

const namesIn = (body: Buffer): ReadonlyArray<string> =>
  JSON.parse(body.toString()).content.map(({ name }: { readonly name: string }) => name)

describe('the body of a listing', () => {
  it.each([
    ['all items', ['a', 'b'], 2, ['a', 'b'], false],
    ['a page', ['a', 'b'], 1, ['a'], true],
    ['nothing', [], 0, [], false],
    ['what is shown alone', [undefined, 'a', undefined], 3, ['a'], false],
    ['what is shown alone, and no more where nothing else is', ['a', undefined, undefined], 1, ['a'], false],
    ['what is shown alone, and more where something is', [undefined, 'a', undefined, 'b'], 1, ['a'], true],
  ] as const)('holds %s', async (_, all, most, names, more) => {
    const items = all.map((name) => (name === undefined ? undefined : item(name)))
    const written = await listingBody({ items, most })
    expect([namesIn(written.body.bytes), written.body.nodes, written.more, O.toUndefined(written.last)]).toEqual([
      names,
      names.length,
      more,
      names.at(-1),
    ])
  })

  it('is one of many items too', async () => {
    const names = Array.from({ length: 1000 }, (_, index) => `\u00e9 ${index}`)
    expect(namesIn((await listingBody({ items: names.map(item), most: 1000 })).body.bytes)).toEqual(names)
  })

  it('lets others in while it is written, also where nothing is shown', async () => {
    const rounds = countTicks()
    function* slowly(): Generator<undefined, void> {
      for (let at = 0; at < 2_000; at += 1) {
        if (at % 100 === 0) busyFor(1)
        yield undefined
      }
    }
    await listingBody({ items: slowly(), most: 2_000 })
    rounds.stop()
    expect(rounds.count()).toBeGreaterThan(3)
  })

  /** Two bodies at the same time: whose items are made in which order. */
  const orderOf = async (most: number): Promise<ReadonlyArray<string>> => {
    const made: Array<string> = []
    const itemsOf = (name: string): Items.Items => ({
      most,
      items: {
        *[Symbol.iterator]() {
          for (let at = 0; at < 600; at += 1) {
            if (at % 255 === 254) busyFor(2)
            made.push(name)
            yield undefined
          }
        },
      },
    })
    await Promise.all(['a', 'b'].map((name) => listingBody(itemsOf(name))))
    return made.filter((name, at) => name !== made[at - 1])
  }

  it('is written at the same time as others where it is small', async () => {
    expect((await orderOf(4096)).length).toBeGreaterThan(2)
  })

  it('is written one after the other where it is large: half written, each takes its memory', async () => {
    expect(await orderOf(4097)).toEqual(['a', 'b'])
  })
})
