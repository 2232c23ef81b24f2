import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { describe, expect, it } from 'vitest'
import {
  type BaseUrl,
  baseUrlFromString,
  baseUrlOfPort,
  baseUrlToText,
  targetBehind,
} from '../../src/backends/rawHttp.js'

const read = (text: string): BaseUrl =>
  pipe(
    baseUrlFromString(text),
    E.getOrElse(() => baseUrlOfPort(0)),
  )

describe('where a service answers', () => {
  it.each([
    ['HTTP://Example.ORG', { tls: false, host: 'example.org', port: 80, authority: 'example.org', prefix: '' }],
    ['http://example.org', { tls: false, host: 'example.org', port: 80, authority: 'example.org', prefix: '' }],
    ['https://example.org/', { tls: true, host: 'example.org', port: 443, authority: 'example.org', prefix: '' }],
    ['http://[::1]:8080', { tls: false, host: '::1', port: 8080, authority: '[::1]:8080', prefix: '' }],
    [
      'http://127.0.0.1:81/a/b//',
      { tls: false, host: '127.0.0.1', port: 81, authority: '127.0.0.1:81', prefix: '/a/b' },
    ],
  ])('%s', (text, parts) => {
    expect(baseUrlFromString(text)).toEqual(E.right(parts))
  })

  it.each(['', 'example.org', 'localhost:8080', 'ftp://a', 'http://a@b', 'http://:a@b', 'http://a/?b', 'http://a/#b'])(
    'is not %j',
    (text) => {
      expect(E.isLeft(baseUrlFromString(text))).toBe(true)
    },
  )

  it('is not repeated with the password that was in it', () => {
    expect(baseUrlFromString('http://ann:secret@b')).toEqual(E.left(expect.not.stringContaining('secret')))
  })

  it('reads back', () => {
    expect(baseUrlToText(read('https://[::1]:8443/base/'))).toBe('https://[::1]:8443/base')
  })

  it.each([
    ['/api/../x', '/base/api/../x'],
    ['//api', '/base//api'],
    ['*', '*'],
    ['http://localhost/api', 'http://localhost/base/api'],
    ['HTTP://localhost/api', 'HTTP://localhost/base/api'],
  ])('stands before the target %s', (target, sent) => {
    expect(targetBehind(read('http://a/base'), target)).toBe(sent)
  })
})
