import { describe, expect, it } from 'vitest'
import { redactPath } from '../../src/log/redactPath.js'

describe('a path as a log may show it', () => {
  it.each([
    '',
    '/',
    '/a/b',
    '/a//b/',
    '/cnp',
    '/a%2Fb',
    '/100%',
    '/%zz',
    '/%25',
    '/c/np_',
    '/holiday-pictures-1999x',
    '/holiday-pictures-199x',
    '/x0123456789-_abcdefXYZw',
    '/-0123456789-_abcdefXYZw',
    '/0123456789-_abcdefXYZwx',
    '/0123456789-_abcdefXYZw-',
  ])('%s stays as it is', (path) => {
    expect(redactPath(path)).toBe(path)
  })

  it.each([
    ['a token', '/a/cnp_abc/b', '/a/[token]/b'],
    ['two tokens', '/cnp_a/cnp_b', '/[token]/[token]'],
    ['a token with something before it', '/xcnp_a', '/[token]'],
    ['a token in capitals', '/CNP_abc', '/[token]'],
    ['an encoded token', '/%63np_abc/b', '/[token]/b'],
    ['a token encoded twice', '/%2563np_abc', '/[token]'],
    ['a token encoded three times', '/%252563np_abc', '/[token]'],
    ['a token encoded eight times', `/%${'25'.repeat(7)}63np_abc`, '/[token]'],
    ['what is encoded more often than that', `/a/%${'25'.repeat(8)}63np_abc/b`, '/a/[escapes]/b'],
    ['what is encoded as often as a target is long', `/%${'25'.repeat(12_000)}`, '/[escapes]'],
    ['a token behind an encoded slash', '/a%2Fcnp_abc/b', '/[token]/b'],
    ['a token before an encoded slash', '/cnp_abc%2Fb', '/[token]'],
    ['a token that an encoded slash splits', '/cnp_ab%2Fcd/e', '/[token]/e'],
    ['a trigger id between encoded slashes', '/a%2F0123456789-_abcdefXYZw%2Fb', '/[trigger id]'],
    ['a token with a malformed escape', '/cnp_%zz', '/[token]'],
    ['an encoded token with a malformed escape', '/cnp%5Fabc%', '/[token]'],
    ['an encoded token beside bytes that are no UTF-8', '/%63np_abc%ff', '/[token]'],
    ['a token encoded twice with a malformed escape', '/%zz%2563np_abc', '/[token]'],
    ['a trigger id', '/a/0123456789-_abcdefXYZw/b', '/a/[trigger id]/b'],
    ['an encoded trigger id', '/%30123456789-_abcdefXYZw', '/[trigger id]'],
    ['a secret in a message', "EACCES: open '/proc/1/fd/26/cnp_abc'", "EACCES: open '/proc/1/fd/26/[token]"],
    ['a trigger id in a message', "EIO: open '/fd/26/0123456789-_abcdefXYZw'", "EIO: open '/fd/26/[trigger id]"],
  ])('%s is replaced, in any spelling', (_, path, shown) => {
    expect(redactPath(path)).toBe(shown)
  })
})
