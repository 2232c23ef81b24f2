import { describe, expect, it } from 'vitest'
import { CanopyError, type Client } from '../src/index.js'
import { nextUrl } from '../src/link.js'
import {
  collect,
  error,
  failureOf,
  failureWithStub,
  inSequence,
  item,
  listingOf,
  loopOver,
  neverRespond,
  respond,
  respondWithLastPage,
  respondWithPage,
  token,
  visitor,
  withStub,
} from './stubService.js'

const visitorItems = { ...visitor, limit: 2 }
const malformed = (part: string) => ({ error: 'malformed response', part })
const namesIn = (items: ReadonlyArray<{ readonly name: string }>) => items.map(({ name }) => name)

const loops = [
  ['storage', (canopy: Client, call = {}) => canopy.storageItems({ token, path: '/', limit: 2 }, call)],
  ['user content', (canopy: Client, call = {}) => canopy.userContentItems(visitorItems, call)],
] as const

const pages = () => inSequence(respondWithPage('b', 'a', 'b'), respondWithLastPage('c'))

const looped = async (items: AsyncIterable<{ readonly name: string }>, after?: () => void) => {
  const { yielded, failure } = await loopOver(items, after)
  return { names: namesIn(yielded), failure }
}

it('a loop over pages follows them to the last one, and starts again in a second loop', async () => {
  await withStub(
    inSequence(respondWithPage('b', 'a', 'b'), respondWithPage('d', 'c', 'd'), respondWithLastPage('e')),
    async (canopy, { targets }) => {
      const loop = canopy.userContentPages(visitorItems)
      expect((await collect(loop)).map(({ items }) => namesIn(items))).toEqual([['a', 'b'], ['c', 'd'], ['e']])
      expect(targets.map((target) => target.split('?')[1])).toEqual(['limit=2', 'limit=2&after=b', 'limit=2&after=d'])
      expect((await collect(loop)).map(({ items }) => namesIn(items))).toEqual([['e']])
      expect((await collect(canopy.storagePages({ token, path: '/', limit: 2 }))).length).toBe(1)
    },
  )
})

it('a loop over pages requests every page with the signal and timeout of the call', async () => {
  const controller = new AbortController()
  await withStub(pages(), async (canopy, { targets }) => {
    const loop = (async () => {
      for await (const _ of canopy.userContentPages(visitorItems, { signal: controller.signal })) controller.abort()
    })()
    expect(await failureOf(loop)).toEqual({ error: 'aborted' })
    expect(targets.length).toBe(1)
  })
  const timedOut = { error: 'timed out', timeoutMs: 300 }
  const loop = (canopy: Client) => collect(canopy.userContentPages(visitorItems, { timeoutMs: 300 }))
  expect(await failureWithStub(inSequence(respondWithPage('b', 'a', 'b'), neverRespond), loop)).toEqual(timedOut)
})

describe.each(loops)('a loop over items: %s', (_, loop) => {
  it('rejects at the failed page, after the items before it', async () => {
    await withStub(
      inSequence(respondWithPage('b', 'a', 'b'), respond(403, error('permission denied'))),
      async (canopy) => {
        expect(await looped(loop(canopy))).toEqual({ names: ['a', 'b'], failure: { error: 'permission denied' } })
      },
    )
  })

  it('rejects between two items once its signal is aborted', async () => {
    const controller = new AbortController()
    await withStub(pages(), async (canopy, { targets }) => {
      const found = await looped(loop(canopy, { signal: controller.signal }), () => controller.abort())
      expect([found, targets.length]).toEqual([{ names: ['a'], failure: { error: 'aborted' } }, 1])
    })
    const other = new AbortController()
    await withStub(respondWithLastPage('a'), async (canopy) => {
      expect(await looped(loop(canopy, { signal: other.signal }), () => other.abort())).toEqual({ names: ['a'] })
    })
  })
})

describe('a service whose pages do not advance', () => {
  it('ends the loop at the first page that repeats', async () => {
    await withStub(inSequence(respondWithPage('b', 'b'), respondWithPage('a', 'a')), async (canopy, { targets }) => {
      expect(await failureOf(collect(canopy.userContentPages(visitorItems)))).toEqual(malformed('content'))
      expect(targets.length).toBe(2)
    })
  })

  it.each([
    ['is empty and has a next one', {}, respondWithPage('b'), 'Link'],
    ['is its own next one', {}, respond(200, listingOf(item('a')), { Link: '<?limit=2>; rel="next"' }), 'Link'],
    ['has names out of order', {}, respondWithPage('b', 'b', 'a'), 'content'],
    ['has a name twice', {}, respondWithPage('a', 'a', 'a'), 'content'],
    ['has names out of order after a name', { after: 'a' }, respondWithLastPage('c', 'b'), 'content'],
    ['begins before `after`', { after: 'b' }, respondWithLastPage('a', 'c'), 'content'],
  ])('fails at a page that %s', async (_, bounds, page, part) => {
    for (const call of [
      (canopy: Client) => canopy.userContentDirItems({ ...visitorItems, ...bounds }),
      (canopy: Client) => canopy.storageDirItems({ token, path: '/', limit: 2, ...bounds }),
    ])
      expect(await failureWithStub(page, call)).toEqual(malformed(part))
  })
})

it('pages are in the byte order of UTF-8; a complete listing may be in any order', async () => {
  const names = ['A', 'a', 'aa', 'b', '\u00e9', '\ud7ff', '\ue000', '\uffee', '\u{10000}', '\u{1f600}', '\u{1f600}a']
  expect(names).toEqual([...names].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))))
  await withStub(inSequence(respondWithPage('z', ...names), respondWithLastPage('c', 'a', 'b')), async (canopy) => {
    expect(namesIn((await canopy.userContentDirItems(visitorItems)).items)).toEqual(names)
    expect(namesIn((await canopy.userContentDirItems(visitor)).items)).toEqual(['c', 'a', 'b'])
  })
})

const url = 'http://host/api/usercontent/v1/diritems/id/1/%252e%252e/a%5Cb?limit=2'
const path = 'http://host/api/usercontent/v1/diritems/id/1/%252e%252e/a%5Cb'
const next = (link: string | null): unknown => {
  try {
    return nextUrl(url, link)
  } catch (thrown) {
    return thrown instanceof CanopyError ? thrown.failure : thrown
  }
}

describe('the URL of the next page', () => {
  const [found, refused] = [`${path}?limit=2&after=b`, malformed('Link')]

  it.each([
    ['relative to the requested one', '<?limit=2&after=b>; rel="next"', found],
    ['written whole', `<${path}?limit=2&after=b>; rel="next"`, found],
    ['with its words in another case', '<?limit=2&after=b>; REL=Next', found],
    ['among other parameters', '<?limit=2&after=b>; title="a, \\"b\\"; rel=prev"; rel="next"; hreflang=en', found],
    ['among other links', '</a.css>; rel=preload; as=style, <?limit=2&after=b>; rel="next", <?x>; rel=first', found],
    ['beside an empty value', '</>; rel=preconnect; crossorigin=, <?limit=2&after=b>; title=; rel="next"', found],
    ['among empty elements', ', </x>; rel=preload,, <?limit=2&after=b>; rel="next" , ', found],
    ['no header', null, undefined],
    ['a link without a relation', '<?after=b>', undefined],
    ['the word in another parameter', '<?after=b>; title="rel=next"; rel=prev', undefined],
    ['another host', `<${path.replace('host', 'elsewhere')}?after=b>; rel="next"`, refused],
    ['another path', '</api/usercontent/v1/diritems/id/2?after=b>; rel="next"', refused],
    ['the same page', '<?limit=2>; rel="next"', refused],
    ['no URL', '<http://[>; rel="next"', refused],
    ['a link that does not end', '<?after=b; rel="next"', refused],
    ['a link and then something else', '<?after=a>; rel=prev, next', refused],
  ])('is found, absent or refused: %s', (_, link, expected) => {
    expect(next(link)).toEqual(expected)
  })

  const repeated = [' ', '"', ';', ',', '=', ' ;', ' ,', ';a', ';a="', ';a = "b" ', '<a>,', '\\"']

  it.each(repeated)('is found or refused quickly if the header repeats %o', (part) => {
    const before = process.cpuUsage()
    for (const start of ['', '<a>', '<a>;', '<a>;a', '<a>;a="']) {
      for (const end of ['', 'x', '"', '<']) next(`${start}${part.repeat(16_384 / part.length)}${end}`)
    }
    // CPU time, which other processes do not affect.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000)
  })
})
