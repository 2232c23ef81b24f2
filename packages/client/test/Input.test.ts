import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { Input } from '../src/index.js'
import { right } from './right.js'

const message = (given: E.Either<Input.MalformedInput, unknown>): string => (E.isLeft(given) ? given.left.message : '')

describe('what is typed', () => {
  it('is taken as it is when it is well-formed', () => {
    const token = `cnp_${'a'.repeat(42)}A`
    expect(right(Input.accessToken(token))).toBe(token)
    expect(right(Input.triggerId('tür auf'))).toBe('tür auf')
    expect(right(Input.storagePath('/a b/%2F'))).toBe('/a b/%2F')
    expect(right(Input.name('%2e'))).toBe('%2e')
    for (const id of ['18446744073709551615', 18446744073709551615n]) {
      expect(right(Input.userId(id))).toBe(18446744073709551615n)
    }
    expect(right(Input.userId(42))).toBe(42n)
  })

  it.each([
    ['a path without its first slash', Input.storagePath('a/b'), 'the path must be "/" or "/name/name"'],
    ['a path with a last slash', Input.storagePath('/a/'), 'the path must be "/" or "/name/name"'],
    ['a user id with a sign', Input.userId('+1'), 'the user id must be a whole number from 0'],
    ['a user id below 0', Input.userId(-1n), 'the user id must be a whole number from 0'],
    ['a number that has lost digits', Input.userId(2 ** 53), 'write it as a bigint or as text'],
    ['a name of two dots', Input.name('..'), 'the name must be 1 to 255 bytes'],
    ['a token of another kind', Input.accessToken('ghp_x'), 'the access token must be "cnp_" and 43 characters'],
    ['a trigger id with a slash', Input.triggerId('a/b'), 'the trigger id must be 1 to 255 bytes'],
  ])('is refused with what to do: %s', (_, given, says) => {
    expect(message(given)).toContain(says)
  })

  it('is never repeated when it may be a secret', () => {
    const secret = 'cnp_almost-a-token/'
    expect(JSON.stringify([Input.accessToken(secret), Input.triggerId(secret)])).not.toContain('almost')
  })
})

describe('the base URL', () => {
  it.each([
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['https://files.example/', 'https://files.example'],
    ['https://files.example/base//', 'https://files.example/base'],
    ['HTTP://Files.Example:80/a%2Fb', 'http://files.example/a%2Fb'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
  ])('%s is taken', (given, taken) => {
    expect(right(Input.baseUrl(given))).toBe(taken)
  })

  it.each([
    ['a path alone', '/base', 'must be a whole URL'],
    ['nothing', '', 'must be a whole URL'],
    ['another scheme', 'file:///etc', 'must be http or https'],
    ['a password without a name', 'https://:secret@files.example', 'may not hold a user name or password'],
    ['a password', 'https://me:secret@files.example', 'may not hold a user name or password'],
    ['a query', 'https://files.example?x', 'may not hold a "?" or "#"'],
    ['a fragment', 'https://files.example#x', 'may not hold a "?" or "#"'],
  ])('is refused with what to write: %s', (_, given, says) => {
    expect(message(Input.baseUrl(given))).toContain(`the base URL ${says}`)
    expect(message(Input.baseUrl(given))).toContain('write it like')
    expect(message(Input.baseUrl(given))).not.toContain('secret')
  })
})
