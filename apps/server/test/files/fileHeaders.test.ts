import { type Name, U64 } from '@canopy/domain'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { archiveHeaders, fileHeaders } from '../../src/files/fileHeaders.js'

const headersOf = (name: string, seconds = 0n, credential: 'token' | 'user id' = 'user id') =>
  fileHeaders(credential, {
    name: name as Name.Name,
    size: 1n,
    last_modified: U64.clamp(seconds),
    version: 'v',
    bytes: async function* () {},
    close: async () => undefined,
    authorizeAgain: TE.right(undefined),
  })

const typeOf = (name: string) => {
  const { 'Content-Type': type, 'Content-Disposition': disposition = '' } = headersOf(name)
  return [type, disposition.split(';')[0]]
}

describe('the type of a file', () => {
  it.each([
    ['a.jpg', 'image/jpeg'],
    ['A.PNG', 'image/png'],
    ['a.mp4', 'video/mp4'],
    ['a.mp3', 'audio/mpeg'],
    ['a.txt', 'text/plain; charset=utf-8'],
    ['a.md', 'text/plain; charset=utf-8'],
    ['a.js', 'text/plain; charset=utf-8'],
  ])('%s is inline, as %s', (name, type) => {
    expect(typeOf(name)).toEqual([type, 'inline'])
  })

  it.each([
    'a.html',
    'a.HTML',
    'a.xhtml',
    'a.svg',
    'a.svgz',
    'a.xml',
    'a.pdf',
    'a.json',
    'a.wasm',
    'README',
    'jpg',
    'a.',
    'a.constructor',
  ])('%s is binary and an attachment', (name) => {
    expect(typeOf(name)).toEqual(['application/octet-stream', 'attachment'])
  })
})

it.each([
  'a\r\nSet-Cookie: x=1',
  'a"; filename="b.html',
  'ü 文件.txt',
  '\u0000',
  '\u0085\u2028.txt',
  '%0d%0a',
  '\\',
  '\u{1F600}',
])('the name %j is escaped in its header', (name) => {
  const disposition = headersOf(name)['Content-Disposition'] ?? ''
  expect(disposition).toMatch(/^(inline|attachment); [\x20-\x7e\xa0-\xff]+$/)
  const [, extended] = /filename\*=UTF-8''([^;]+)$/.exec(disposition) ?? []
  const [, quoted = ''] = /filename="((?:[^"\\]|\\.)*)"/.exec(disposition) ?? []
  expect(extended === undefined ? quoted.replace(/\\(.)/g, '$1') : decodeURIComponent(extended)).toBe(name)
})

it('content is sandboxed, and only that of visitors is open to other origins', () => {
  const all = [
    headersOf('a'),
    headersOf('a', 0n, 'token'),
    archiveHeaders('user id', 'd'),
    archiveHeaders('token', 'd'),
  ]
  for (const headers of all) expect(headers['Content-Security-Policy']).toBe("default-src 'none'; sandbox")
  expect(all.map((headers) => headers['Cross-Origin-Resource-Policy'])).toEqual([
    'cross-origin',
    'same-origin',
    'cross-origin',
    'same-origin',
  ])
})

it('a time that HTTP cannot write is not sent', () => {
  expect(headersOf('a', 253_402_300_799n)['Last-Modified']).toBe('Fri, 31 Dec 9999 23:59:59 GMT')
  expect([253_402_300_800n, 2n ** 64n - 1n].map((time) => headersOf('a', time))).not.toContainEqual(
    expect.objectContaining({ 'Last-Modified': expect.anything() }),
  )
})
