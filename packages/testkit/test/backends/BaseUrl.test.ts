import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { describe, expect, it } from 'vitest'
import * as BaseUrl from '../../src/backends/BaseUrl.js'

const read = (text: string): BaseUrl.BaseUrl =>
  pipe(
    BaseUrl.fromString(text),
    E.getOrElse(() => BaseUrl.ofPort(0)),
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
    expect(BaseUrl.fromString(text)).toEqual(E.right(parts))
  })

  it.each(['', 'example.org', 'localhost:8080', 'ftp://a', 'http://a@b', 'http://:a@b', 'http://a/?b', 'http://a/#b'])(
    'is not %j',
    (text) => {
      expect(E.isLeft(BaseUrl.fromString(text))).toBe(true)
    },
  )

  it('is not told again with the password that was in it', () => {
    expect(BaseUrl.fromString('http://ann:secret@b')).toEqual(E.left(expect.not.stringContaining('secret')))
  })

  it('reads back', () => {
    expect(BaseUrl.toText(read('https://[::1]:8443/base/'))).toBe('https://[::1]:8443/base')
  })

  it.each([
    ['/api/../x', '/base/api/../x'],
    ['//api', '/base//api'],
    ['*', '*'],
    ['http://localhost/api', 'http://localhost/base/api'],
    ['HTTP://localhost/api', 'HTTP://localhost/base/api'],
  ])('stands before the target %s', (target, sent) => {
    expect(BaseUrl.targetBehind(read('http://a/base'), target)).toBe(sent)
  })
})
