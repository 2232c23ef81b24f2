import { describe, expect, it } from 'vitest'
import { redactPath } from '../src/redactPath.js'

describe('a path as a log may show it', () => {
  it.each(['', '/', '/a/b', '/a//b/', '/cnp', '/a%2Fb', '/100%', '/%zz', '/%25', '/c/np_'])(
    '%s stays as it is',
    (path) => {
      expect(redactPath(path)).toBe(path)
    },
  )

  it.each([
    ['a token', '/a/cnp_abc/b', '/a/[token]/b'],
    ['two tokens', '/cnp_a/cnp_b', '/[token]/[token]'],
    ['a token with something before it', '/xcnp_a', '/[token]'],
    ['a token in capitals', '/CNP_abc', '/[token]'],
    ['an encoded token', '/%63np_abc/b', '/[token]/b'],
    ['a token encoded twice', '/%2563np_abc', '/[token]'],
    ['a token encoded three times', '/%252563np_abc', '/[token]'],
    ['a token behind an encoded slash', '/a%2Fcnp_abc/b', '/[token]/b'],
    ['a token with a malformed escape', '/cnp_%zz', '/[token]'],
  ])('%s is replaced, in any spelling', (_, path, shown) => {
    expect(redactPath(path)).toBe(shown)
  })
})
