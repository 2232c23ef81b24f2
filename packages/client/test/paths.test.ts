import { describe, expect, it } from 'vitest'
import { CanopyError } from '../src/index.js'
import { baseUrlOf, targets } from '../src/paths.js'

const token = `cnp_${'t'.repeat(42)}A`
const user = '18446744073709551615'
const path = '/a b/?x=1#/%2F/..a/\\/\u00e9'
const raw = '/a%20b/%3Fx%3D1%23/%252F/..a/%5C/%C3%A9'

const messageOf = (make: () => unknown): string => {
  try {
    make()
  } catch (thrown) {
    if (thrown instanceof CanopyError && thrown.failure.error === 'malformed input') return thrown.failure.message
    throw thrown
  }
  return 'nothing is wrong'
}

describe('what an operation asks for', () => {
  it('is its path of the interface, each name percent-encoded once', () => {
    expect(targets.storageTree({ token, path })).toBe(`/api/storage/v1/tree/${token}${raw}`)
    expect(targets.userContentTree({ user, path })).toBe(`/api/usercontent/v1/tree/id/${user}${raw}`)
    expect(targets.storageDirItems({ token, path })).toBe(`/api/storage/v1/diritems/${token}${raw}`)
    expect(targets.userContentDirItems({ user, path })).toBe(`/api/usercontent/v1/diritems/id/${user}${raw}`)
    expect(targets.triggerPeek({ id: '?a b#%' })).toBe('/api/triggers/v1/peek/%3Fa%20b%23%25')
  })

  it('has no path for the root', () => {
    expect(targets.storageTree({ token, path: '/' })).toBe(`/api/storage/v1/tree/${token}`)
  })

  it('never has %2F, which separates names: a percent sign in a name is encoded too', () => {
    expect(targets.storageTree({ token, path: '/%2F/a%2fb' })).toBe(`/api/storage/v1/tree/${token}/%252F/a%252fb`)
    expect(targets.storageDirItems({ token, path: '/', after: '%2F' })).toMatch(/\?after=%252F$/)
  })

  it('has the bounds that the request has, and no others', () => {
    const after = 'a&b=c+d#'
    expect(targets.storageTree({ token, path: '/', depth: 0 })).toBe(`/api/storage/v1/tree/${token}?depth=0`)
    expect(targets.storageDirItems({ token, path: '/', limit: 5, after })).toBe(
      `/api/storage/v1/diritems/${token}?limit=5&after=a%26b%3Dc%2Bd%23`,
    )
    expect(targets.storageDirItems({ token, path: '/', limit: undefined, after })).toBe(
      `/api/storage/v1/diritems/${token}?after=a%26b%3Dc%2Bd%23`,
    )
    expect(targets.userContentTree({ user, path: '/', depth: undefined })).toBe(
      targets.userContentTree({ user, path: '/' }),
    )
  })

  it.each([0, '0', 0n, 42, 2 ** 53 - 1, '9007199254740993', 18446744073709551615n])('takes the user id %s', (id) => {
    expect(targets.userContentTree({ user: id, path: '/' })).toBe(`/api/usercontent/v1/tree/id/${id}`)
  })

  it.each([
    ['one name of 255 bytes', `/${'\u00e9'.repeat(127)}a`],
    ['255 names', '/a'.repeat(255)],
    ['4,096 bytes', `${`/${'a'.repeat(255)}`.repeat(15)}/${'a'.repeat(254)}/b`],
  ])('takes a path of %s', (_, given) => {
    expect(targets.storageTree({ token, path: given })).toBe(
      `/api/storage/v1/tree/${token}${given.replaceAll('\u00e9', '%C3%A9')}`,
    )
  })
})

const ofPath = (given: unknown) => () => targets.storageTree({ token, path: given as string })
const ofUser = (given: unknown) => () => targets.userContentTree({ user: given as string, path: '/' })
const ofName = (given: unknown) => () => targets.storageDirItems({ token, path: '/', after: given as string })
const ofToken = (given: unknown) => () => targets.storageTree({ token: given as string, path: '/' })
const ofTrigger = (given: unknown) => () => targets.triggerPeek({ id: given as string })

describe('malformed input', () => {
  it.each([
    ['a path without its first slash', ofPath('a/b'), 'the path must be "/" or "/name/name"'],
    ['a path with a last slash', ofPath('/a/'), 'the path must be "/" or "/name/name"'],
    ['an empty path', ofPath(''), 'the path must be "/" or "/name/name"'],
    ['a path with an empty name', ofPath('/a//b'), 'the path must be "/" or "/name/name"'],
    ['a path with a dot', ofPath('/a/./b'), 'the path must be "/" or "/name/name"'],
    ['a path of 256 names', ofPath('/a'.repeat(256)), 'at most 255 names'],
    ['a path of 4,097 bytes', ofPath(`${`/${'a'.repeat(255)}`.repeat(16)}/b`), 'and 4,096 bytes'],
    ['a path that is no text', ofPath(['/']), 'the path must be "/" or "/name/name"'],
    ['a user id with a sign', ofUser('+1'), 'the user id must be a whole number from 0'],
    ['a user id with a zero before it', ofUser('01'), 'the user id must be a whole number from 0'],
    ['a user id below 0', ofUser(-1n), 'the user id must be a whole number from 0'],
    ['a user id beyond u64', ofUser(18446744073709551616n), 'the user id must be a whole number from 0'],
    ['a user id that is not a number', ofUser(['1']), 'the user id must be a whole number from 0'],
    ['a number that has lost digits', ofUser(2 ** 53), 'write it as a bigint or as text'],
    ['a fraction', ofUser(1.5), 'write it as a bigint or as text'],
    ['a name of two dots', ofName('..'), 'the name must be 1 to 255 bytes'],
    ['a name of 256 bytes', ofName('\u00e9'.repeat(128)), 'the name must be 1 to 255 bytes'],
    ['a name with NUL', ofName('a\0'), 'the name must be 1 to 255 bytes'],
    ['half a surrogate pair', ofName('\ud800'), 'the name must be 1 to 255 bytes'],
    ['a token of another kind', ofToken('ghp_x'), 'the access token must be "cnp_" and 43 characters'],
    ['a token with a line break', ofToken(`${token}\n`), 'the access token must be "cnp_" and 43 characters'],
    ['a token with spare bits', ofToken(`cnp_${'t'.repeat(43)}`), 'the access token must be "cnp_" and 43 characters'],
    ['a trigger id with a slash', ofTrigger('a/b'), 'the trigger id must be 1 to 255 bytes'],
  ])('is refused with what to write: %s', (_, make, says) => {
    expect(messageOf(make)).toContain(says)
  })

  it('is not repeated: it may be a secret', () => {
    const secret = 'cnp_almost-a-token/'
    expect([messageOf(ofToken(secret)), messageOf(ofTrigger(secret)), messageOf(ofPath(secret))].join()).not.toContain(
      'almost',
    )
  })
})

describe('the base URL', () => {
  it.each([
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['https://files.example/', 'https://files.example'],
    ['https://files.example/base//', 'https://files.example/base'],
    ['HTTP://Files.Example:80/a%2Fb', 'http://files.example/a%2Fb'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
  ])('may be %s', (given, taken) => {
    expect(baseUrlOf(given)).toBe(taken)
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
    expect(messageOf(() => baseUrlOf(given))).toContain(`the base URL ${says}`)
    expect(messageOf(() => baseUrlOf(given))).toContain('write it like')
    expect(messageOf(() => baseUrlOf(given))).not.toContain('secret')
  })
})
