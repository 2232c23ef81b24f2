import type { IncomingMessage, ServerResponse } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { items, pages } from '../src/index.js'
import { against, error, inTurn, item, listingOf, root, saying, token, user } from './answering.js'

const linked = (after: string, ...names: ReadonlyArray<string>) =>
  saying(200, listingOf(...names.map((name) => item(name))), { Link: `<?limit=2&after=${after}>; rel="next"` })
const last = (...names: ReadonlyArray<string>) => saying(200, listingOf(...names.map((name) => item(name))))

const collected = async <A>(source: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for await (const each of source) all.push(each)
  return all
}

const visitorItems = { user, path: root, limit: 2 }
const wrongShape = (field: string) => E.left({ error: 'transport', reason: 'wrong shape', status: 200, field })

const circling = (request: IncomingMessage, response: ServerResponse): void =>
  (request.url?.endsWith('after=b') === true ? linked('a', 'a') : linked('b', 'b'))(request, response)

describe('the pages of a listing', () => {
  it('follow each other to the last one', async () => {
    await against(inTurn(linked('b', 'a', 'b'), linked('d', 'c', 'd'), last('e')), async (canopy, { targets }) => {
      const all = await collected(pages(canopy.userContentDirItems(visitorItems)))
      expect(all.map(E.map((page) => page.items.map(({ name }) => name)))).toEqual([
        E.right(['a', 'b']),
        E.right(['c', 'd']),
        E.right(['e']),
      ])
      expect(targets.map((target) => target.split('?')[1])).toEqual(['limit=2', 'limit=2&after=b', 'limit=2&after=d'])
    })
  })

  it('are asked for one by one, when the loop comes to them', async () => {
    await against(inTurn(linked('b', 'a', 'b'), last('c')), async (canopy, { targets }) => {
      for await (const page of pages(canopy.userContentDirItems(visitorItems))) {
        expect(E.isRight(page)).toBe(true)
        break
      }
      expect(targets.length).toBe(1)
    })
  })

  it('can be asked for again from the first', async () => {
    await against(last('a'), async (canopy, { targets }) => {
      const all = pages(canopy.userContentDirItems(visitorItems))
      expect(await collected(all)).toEqual(await collected(all))
      expect(targets.length).toBe(2)
    })
  })

  it('are asked for with the signal of the first', async () => {
    const controller = new AbortController()
    await against(inTurn(linked('b', 'a', 'b'), last('c')), async (canopy, { targets }) => {
      const seen: Array<unknown> = []
      for await (const page of pages(canopy.userContentDirItems(visitorItems, { signal: controller.signal }))) {
        seen.push(page._tag)
        controller.abort()
      }
      expect(seen).toEqual(['Right', 'Left'])
      expect(targets.length).toBe(1)
    })
  })

  it('show no URL and no token', async () => {
    await against(linked('b', 'a', 'b'), async (canopy) => {
      const page = await canopy.storageDirItems({ token, path: root, limit: 2 })()
      expect(E.isRight(page) && O.isSome(page.right.next)).toBe(true)
      expect(JSON.stringify(page, (_, value) => (typeof value === 'bigint' ? `${value}` : value))).not.toContain(token)
    })
  })
})

describe('the items of a listing', () => {
  it('are those of all its pages', async () => {
    await against(inTurn(linked('b', 'a', 'b'), last('c')), async (canopy) => {
      const all = await collected(items(canopy.storageDirItems({ token, path: root, limit: 2 })))
      expect(all.map(E.map(({ name }) => name))).toEqual([E.right('a'), E.right('b'), E.right('c')])
    })
  })

  it('end after the first failure', async () => {
    await against(inTurn(linked('b', 'a', 'b'), saying(403, error('permission denied'))), async (canopy) => {
      const all = await collected(items(canopy.userContentDirItems(visitorItems)))
      expect(all.map(E.map(({ name }) => name))).toEqual([
        E.right('a'),
        E.right('b'),
        E.left({ error: 'permission denied' }),
      ])
    })
  })
})

describe('a service that leads in circles', () => {
  it('is left at the page that does not lead further', async () => {
    await against(circling, async (canopy, { targets }) => {
      const all = await collected(pages(canopy.userContentDirItems(visitorItems)))
      expect(all.at(-1)).toEqual(wrongShape('content'))
      expect(targets.length).toBe(2)
    })
  })

  it('is left at an empty page that has a next one', async () => {
    await against(linked('b'), async (canopy) => {
      expect(await collected(pages(canopy.userContentDirItems(visitorItems)))).toEqual([wrongShape('Link')])
    })
  })

  it('is left at a page that is its own next', async () => {
    await against(saying(200, listingOf(item('a')), { Link: '<?limit=2>; rel="next"' }), async (canopy) => {
      expect(await collected(pages(canopy.userContentDirItems(visitorItems)))).toEqual([wrongShape('Link')])
    })
  })
})
