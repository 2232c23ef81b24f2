import type { IncomingMessage, ServerResponse } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { Input, items, pages } from '../src/index.js'
import { against, error, inTurn, item, listingOf, root, saying, token, user } from './answering.js'
import { right } from './right.js'

const name = (text: string) => right(Input.name(text))

const linked = (after: string, ...names: ReadonlyArray<string>) =>
  saying(200, listingOf(...names.map((each) => item(each))), { Link: `<?limit=2&after=${after}>; rel="next"` })
const last = (...names: ReadonlyArray<string>) => saying(200, listingOf(...names.map((each) => item(each))))

const collected = async <A>(source: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for await (const each of source) all.push(each)
  return all
}

const aborting = () => {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
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

describe('a signal given to the items', () => {
  it('ends them between two items of a page', async () => {
    const { signal, abort } = aborting()
    await against(inTurn(linked('b', 'a', 'b'), last('c')), async (canopy, { targets }) => {
      const seen: Array<unknown> = []
      for await (const each of items(canopy.userContentDirItems(visitorItems, { signal }), { signal })) {
        seen.push(E.isRight(each) ? each.right.name : each.left)
        abort()
      }
      expect(seen).toEqual(['a', { error: 'transport', reason: 'aborted' }])
      expect(targets.length).toBe(1)
    })
  })

  it('changes nothing once they are at their end', async () => {
    const { signal, abort } = aborting()
    await against(last('a'), async (canopy) => {
      const seen: Array<unknown> = []
      for await (const each of items(canopy.userContentDirItems(visitorItems), { signal })) {
        seen.push(E.isRight(each) ? each.right.name : each.left)
        abort()
      }
      expect(seen).toEqual(['a'])
    })
  })
})

describe('a service that does not lead further', () => {
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

  it.each([
    ['a page that is followed', { ...visitorItems }, linked('b', 'b', 'a')],
    ['a page with a name twice', { ...visitorItems }, linked('a', 'a', 'a')],
    ['a page after a name', { ...visitorItems, after: name('a') }, last('c', 'b')],
    ['a page that begins before what it was asked for', { ...visitorItems, after: name('b') }, last('a', 'c')],
    ['a page that begins with what it was asked for', { user, path: root, after: name('b') }, last('b', 'c')],
  ])('is left at names that do not follow each other: %s', async (_, request, page) => {
    await against(page, async (canopy) => {
      expect(await collected(pages(canopy.userContentDirItems(request)))).toEqual([wrongShape('content')])
      expect(await collected(pages(canopy.storageDirItems({ token, ...request })))).toEqual([wrongShape('content')])
    })
  })

  it('may give the whole of a directory in any order', async () => {
    await against(last('c', 'a', 'b'), async (canopy) => {
      const all = await collected(items(canopy.userContentDirItems({ user, path: root })))
      expect(all.map(E.map((each) => each.name))).toEqual([E.right('c'), E.right('a'), E.right('b')])
    })
  })

  it('is left at a page that is its own next', async () => {
    await against(saying(200, listingOf(item('a')), { Link: '<?limit=2>; rel="next"' }), async (canopy) => {
      expect(await collected(pages(canopy.userContentDirItems(visitorItems)))).toEqual([wrongShape('Link')])
    })
  })
})
