import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { nextUrl } from '../src/nextUrl.js'

const url = 'http://host/api/usercontent/v1/diritems/id/1/%252e%252e/a%5Cb?limit=2'
const path = 'http://host/api/usercontent/v1/diritems/id/1/%252e%252e/a%5Cb'
const next = (link: string | null) => nextUrl(url, { link, status: 200, retryAfter: null, bytes: new ArrayBuffer(0) })
const refused = E.left({ error: 'transport', reason: 'wrong shape', status: 200, field: 'Link' })

describe('the URL of the next page', () => {
  it.each([
    ['relative to the one that was asked', '<?limit=2&after=b>; rel="next"'],
    ['written with its path', '</api/usercontent/v1/diritems/id/1/%252e%252e/a%5Cb?limit=2&after=b>; rel="next"'],
    ['written whole', `<${path}?limit=2&after=b>; rel="next"`],
    ['without quotes', '<?limit=2&after=b>;rel=next'],
    ['of several relations', '<?limit=2&after=b>; rel="last NEXT"'],
    ['among other parameters', '<?limit=2&after=b>; title="a, \\"b\\"; rel=prev"; rel="next"; hreflang=en'],
    ['among other links', '</a.css>; rel=preload; as=style, <?limit=2&after=b>; rel="next", <?x>; rel=first'],
    ['beside a parameter that is empty', '<?limit=2&after=b>; rel="next";'],
    ['beside a value that is empty', '</>; rel=preconnect; crossorigin=, <?limit=2&after=b>; title=; rel="next"'],
    ['among empty elements', ', </x>; rel=preload,, <?limit=2&after=b>; rel="next" , '],
    ['with a fragment', '<?limit=2&after=b#top>; rel="next"'],
  ])('may be %s', (_, link) => {
    expect(next(link)).toEqual(E.right(O.some(`${path}?limit=2&after=b`)))
  })

  it('keeps the path as it was asked, to the last escape, and the name as it was given', () => {
    expect(next('<?limit=2&after=%252e%252e%2F%26%20%F0%9F%98%80>; rel="next"')).toEqual(
      E.right(O.some(`${path}?limit=2&after=%252e%252e%2F%26%20%F0%9F%98%80`)),
    )
  })

  it.each([
    ['without the header', null],
    ['with other links alone', '<?after=b>; rel="prev", </a.css>; rel=preload'],
    ['with a link that has no relation', '<?after=b>'],
    ['with a parameter that is empty', '</a.css>; rel=preload; as=style;'],
    ['with an empty header', ''],
    ['with empty elements alone', ' , ,'],
    ['with the word in another parameter', '<?after=b>; title="rel=next"; rel=prev'],
  ])('is none %s', (_, link) => {
    expect(next(link)).toEqual(E.right(O.none))
  })

  it.each([
    ['another host', '<http://elsewhere/api/usercontent/v1/diritems/id/1/%252e%252e/a%5Cb?after=b>; rel="next"'],
    ['another path', '</api/usercontent/v1/diritems/id/2?after=b>; rel="next"'],
    ['another scheme', '<javascript:alert(1)>; rel="next"'],
    ['the same page', '<?limit=2>; rel="next"'],
    ['no URL', '<http://[>; rel="next"'],
    ['something that is no link', 'next'],
    ['a link that does not end', '<?after=b; rel="next"'],
    ['a link and then something else', '<?after=a>; rel=prev, next'],
    ['a value that does not end', '<?after=b>; rel="next'],
    ['two links with nothing between them', '<?after=a>; rel=prev <?after=b>; rel=next'],
    ['a parameter that is a value alone', '<?after=b>; ="next"'],
  ])('is refused when the header names %s', (_, link) => {
    expect(next(link)).toEqual(refused)
  })

  it.each([' ', '"', ';', ',', '=', ' ;', ' ,', ';a', ';a="', ';a = "b" ', '<a>,', '\\"'])(
    'is found or refused in no time, however often the header repeats %o',
    (part) => {
      const began = performance.now()
      for (const start of ['', '<a>', '<a>;', '<a>;a', '<a>;a="']) {
        for (const end of ['', 'x', '"', '<']) next(`${start}${part.repeat(16_384 / part.length)}${end}`)
      }
      expect(performance.now() - began).toBeLessThan(2000)
    },
  )
})
