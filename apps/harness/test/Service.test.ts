import { fixtureTokens, type RawRequest } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { concealCredentials, curlCommand, parseCredentials, toRealTarget } from '../src/Service.js'

const asked = [
  ['Host', 'localhost'],
  ['If-None-Match', '"x"'],
] as const

it.each<[Partial<RawRequest>, string]>([
  [{ target: '/a/../b' }, '--request-target /base/a/../b'],
  [{ target: "/it's?a=b&c" }, `--request-target '/base/it'\\''s?a=b&c'`],
  [{ target: '/a\u001b\u202eb' }, `--request-target $'/base/a\\u001b\\u202eb'`],
  [{ method: 'HEAD' }, '-I --request-target /base/a'],
  [{ method: 'OPTIONS', target: '*' }, "-X OPTIONS --request-target '*'"],
  [{ headers: [] }, '-H Host: --request-target /base/a'],
  [{ headers: asked }, `-H 'If-None-Match: "x"' --request-target /base/a`],
])('a request as a curl command: %o', (request, words) => {
  const command = curlCommand(new URL('https://example.org:8443/base/'), { method: 'GET', target: '/a', ...request })
  expect(command).toBe(`curl -si ${words} https://example.org:8443`)
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
    [`/files/token/${owner}/photos/cover.jpg`, '/files/token/real%2Fowner%20token/photos/cover.jpg'],
    ['/files/id/1/photos?zip', '/files/id/4711/photos?zip'],
    // Needless escapes stay needless.
    ['/api/usercontent/v1/tree/id/%31/a', '/api/usercontent/v1/tree/id/%34%37%31%31/a'],
  ])('replace those of the fixture: %s', (target, expected) => {
    expect(toRealTarget(real, target)).toBe(expected)
  })

  it('leave everything else unchanged', () => {
    const tree = '/api/storage/v1/tree'
    const others = [`${tree}/${owner.toUpperCase()}/photos`, `${tree}/${scoped}/${owner}`, `${tree}/%zz`]
    for (const target of [...others, '/api/usercontent/v1/tree/id/01', '/favicon.ico', '*'])
      expect(toRealTarget(real, target)).toBe(target)
  })

  it.each([
    ['but no short id', '{"token":"real/owner token","size":4711}', `{"token":"${owner}","size":4711}`],
    ['escaped as in a link', '</tree/real%2Fowner%20token?after=a>', `</tree/${owner}?after=a>`],
    ['one a prefix of another', 'no real/owner token of a scope', `no ${scoped}`],
    ['every byte escaped', 'no %72%65%61%6c%2f%6f%77%6e%65%72%20%74%6f%6b%65%6e', `no ${owner}`],
  ])('are concealed in headers and bodies, %s', (_, sent, concealed) => {
    const credentials = new Map([...real, [scoped, 'real/owner token of a scope']])
    const response = { status: 404, headers: [['Link', sent] as const], body: Buffer.from(sent), complete: true }
    const { headers, body } = concealCredentials(credentials, response)
    expect([headers, body.toString()]).toEqual([[['Link', concealed]], concealed])
  })

  it('do not damage a body that is not UTF-8', () => {
    const body = Buffer.from([0xff, 0xd8, 0xff])
    expect(concealCredentials(real, { status: 200, headers: [], body, complete: true }).body).toEqual(body)
  })
})

it.each([
  ['[', 'it is not JSON: '],
  ['["a"]', 'it has the wrong shape: '],
  ['{"1":1}', 'it has the wrong shape: '],
  ['{"cnp_typo":"secret"}', 'unknown key "cnp_typo": '],
])('a file of credentials of the wrong shape is refused: %s', (text, beginning) => {
  expect(parseCredentials(text)).toEqual(
    E.left(
      `${beginning}it must be a JSON object that maps the fixture's tokens, user IDs and trigger IDs to the real ones, all as strings`,
    ),
  )
})
