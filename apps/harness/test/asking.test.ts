import { fixtureTokens, type RawRequest } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { again, concealed, credentialsFromJson, realTarget } from '../src/Asking.js'

describe('a request can be asked again', () => {
  const get = (target: string, headers?: RawRequest['headers']) => ({
    method: 'GET',
    target,
    ...(headers && { headers }),
  })

  it.each<[RawRequest, string]>([
    [get('/a/../b'), '--request-target /base/a/../b'],
    [get("/it's?a=b&c"), `--request-target '/base/it'\\''s?a=b&c'`],
    [get('/a\u001b\u202eb'), `--request-target $'/base/a\\u001b\\u202eb'`],
    [{ method: 'HEAD', target: '/a' }, '-I --request-target /base/a'],
    [{ method: 'OPTIONS', target: '*' }, "-X OPTIONS --request-target '*'"],
    [get('/a', []), '-H Host: --request-target /base/a'],
    [
      get('/a', [
        ['Host', 'localhost'],
        ['If-None-Match', '"x"'],
      ]),
      `-H 'If-None-Match: "x"' --request-target /base/a`,
    ],
  ])('%o', (request, words) => {
    expect(again(new URL('https://example.org:8443/base/'), request)).toBe(`curl -si ${words} https://example.org:8443`)
  })
})

const { owner, scoped } = fixtureTokens
const real = new Map([
  [owner, 'real/owner token'],
  ['1', '4711'],
  ['doorbell', 'b11'],
])

describe('the real credentials', () => {
  it.each([
    [`/api/storage/v1/tree/${owner}/photos?depth=1`, '/api/storage/v1/tree/real%2Fowner%20token/photos?depth=1'],
    [`/api/storage/v1/diritems/${owner}`, '/api/storage/v1/diritems/real%2Fowner%20token'],
    ['/api/usercontent/v1/tree/id/1/1', '/api/usercontent/v1/tree/id/4711/1'],
    ['/api/usercontent/v1/diritems/id/1', '/api/usercontent/v1/diritems/id/4711'],
    ['/api/triggers/v1/peek/doorbell/more', '/api/triggers/v1/peek/b11/more'],
    // Escaped where those of the fixture were needlessly so.
    ['/api/usercontent/v1/tree/id/%31/a', '/api/usercontent/v1/tree/id/%34%37%31%31/a'],
  ])('take the place of those of the fixture: %s', (target, expected) => {
    expect(realTarget(real, target)).toBe(expected)
  })

  it.each([
    `/api/storage/v1/tree/${owner.toUpperCase()}/photos`,
    `/api/storage/v1/tree/${scoped}/${owner}`,
    '/api/usercontent/v1/tree/id/01',
    '/api/storage/v1/tree/%zz',
    '/favicon.ico',
    '*',
  ])('leave everything else alone: %s', (target) => {
    expect(realTarget(real, target)).toBe(target)
  })

  it('are shown in no answer, unless they are too short to be secrets', () => {
    const { headers, body } = concealed(real, {
      status: 200,
      headers: [['Link', '</tree/real%2Fowner%20token?after=a>; rel="next"']],
      body: Buffer.from('{"token":"real/owner token","size":4711}'),
      complete: true,
    })
    expect(headers).toEqual([['Link', `</tree/${owner}?after=a>; rel="next"`]])
    expect(body.toString()).toBe(`{"token":"${owner}","size":4711}`)
  })
})

describe('a file of credentials', () => {
  it('is an object from the fixture’s tokens and ids to the real ones', () => {
    expect(credentialsFromJson(JSON.stringify(Object.fromEntries(real)))).toEqual(E.right(real))
  })

  it.each([
    ['[', 'it is no JSON: '],
    ['["a"]', 'it is something else: '],
    ['{"1":1}', 'it is something else: '],
    ['{"cnp_typo":"secret"}', 'the fixture has no "cnp_typo": '],
  ])('that is none is refused: %s', (text, beginning) => {
    expect(credentialsFromJson(text)).toEqual(
      E.left(
        `${beginning}it must be a JSON object from the tokens, user ids and trigger ids of the fixture to the real ones, as texts`,
      ),
    )
  })
})
