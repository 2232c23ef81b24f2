import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import * as Argument from '../src/Argument.js'

describe('a path on the command line', () => {
  it('may leave its leading slash out, and may have one trailing slash', () => {
    for (const text of ['photos/2026', '/photos/2026', 'photos/2026/', '/photos/2026/']) {
      expect(Argument.path(text)).toEqual(E.right('/photos/2026'))
    }
  })

  it('is / for the root', () => {
    expect(Argument.path('/')).toEqual(E.right('/'))
  })

  it('is plain text: nothing is decoded, trimmed or normalised', () => {
    expect(Argument.path('a%2Fb')).toEqual(E.right('/a%2Fb'))
    expect(Argument.path(' é e\u0301 ')).toEqual(E.right('/ é e\u0301 '))
  })

  it('is refused when it names nothing, also when it is empty, as an unset shell variable is', () => {
    for (const text of ['', '//', 'a//b', 'a//', '.', '../a', 'a/./b', 'x'.repeat(256), 'x/'.repeat(256)]) {
      expect(Argument.path(text)).toMatchObject({ left: { error: 'wrong usage', exit: 2 } })
    }
    expect(Argument.path('')).toMatchObject({ left: { message: expect.stringContaining('write / for the root') } })
  })
})

describe('an account id on the command line', () => {
  it('is canonical decimal up to 2^64-1', () => {
    expect(Argument.userId('18446744073709551615')).toEqual(E.right(18_446_744_073_709_551_615n))
    for (const text of ['', '-1', '+1', '01', '1.0', 'demo', '18446744073709551616']) {
      expect(Argument.userId(text)).toMatchObject({ left: { error: 'wrong usage', exit: 2 } })
    }
  })
})

describe('a trigger id on the command line', () => {
  it('is not repeated where it is none: it may be a URL with one', () => {
    const given = 'http://127.0.0.1:8080/api/triggers/v1/peek/secret'
    expect(Argument.triggerId(given)).toMatchObject({ left: { error: 'wrong usage', exit: 2 } })
    expect(JSON.stringify(Argument.triggerId(given))).not.toContain('secret')
  })
})
