import { type Name, U64 } from '@canopy/domain'
import { expect, it } from 'vitest'
import { archiveHeaders, fileHeaders } from '../../src/files/fileHeaders.js'

const headersOf = (name: string, seconds = 0n, credential: 'token' | 'user id' = 'user id') =>
  fileHeaders(credential, name as Name.Name, { last_modified: U64.clamp(seconds), version: 'v' })

const [octets, text] = ['application/octet-stream', 'text/plain; charset=utf-8']

it.each([
  ['inline', 'image/jpeg', ['a.jpg']],
  ['inline', 'image/png', ['A.PNG']],
  ['inline', 'video/mp4', ['a.mp4']],
  ['inline', 'audio/mpeg', ['a.mp3']],
  ['inline', text, ['a.txt', 'a.md', 'a.js']],
  ['attachment', octets, ['a.html', 'a.HTML', 'a.xhtml', 'a.svg', 'a.svgz', 'a.xml', 'a.pdf', 'a.json', 'a.wasm']],
  ['attachment', octets, ['README', 'jpg', 'a.', 'a.constructor']],
])('%s as %s: %j', (disposition, type, names) => {
  for (const name of names) {
    const { 'Content-Type': found, 'Content-Disposition': shown } = headersOf(name)
    expect([name, found, shown?.split(';')[0]]).toEqual([name, type, disposition])
  }
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

it.each([
  ['user id', 'cross-origin'],
  ['token', 'same-origin'],
] as const)('content that a %s opens is sandboxed, and %s', (credential, policy) => {
  for (const headers of [headersOf('a', 0n, credential), archiveHeaders(credential, 'd')])
    expect(headers).toMatchObject({
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cross-Origin-Resource-Policy': policy,
    })
})

it('a time that HTTP cannot write is not sent', () => {
  expect(headersOf('a', 253_402_300_799n)['Last-Modified']).toBe('Fri, 31 Dec 9999 23:59:59 GMT')
  for (const time of [253_402_300_800n, 2n ** 64n - 1n]) expect(headersOf('a', time)['Last-Modified']).toBeUndefined()
})
