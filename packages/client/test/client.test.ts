import { describe, expect, it } from 'vitest'
import { CanopyError, createClient } from '../src/index.js'
import { collect, emptyTree, failureOf, respond, token, visitor, withStub } from './stubService.js'

const secret = 'cnp_almost-a-token/'
const ofPath = (given: string) => ({ token, path: given })
const ofUser = (given: string | bigint | number) => ({ user: given, path: '/' })
const ofName = (after: string) => ({ ...visitor, after })
const ofToken = (given: string) => ({ token: given, path: '/' })

describe('malformed input', () => {
  it.each([
    ['a path without its first slash', ofPath('a/b'), 'the path must be "/" or "/name/name"'],
    ['a path with a last slash', ofPath('/a/'), 'the path must be "/" or "/name/name"'],
    ['a path with an empty name', ofPath('/a//b'), 'the path must be "/" or "/name/name"'],
    ['a path of 256 names', ofPath('/a'.repeat(256)), 'at most 255 names'],
    ['a user id with a zero before it', ofUser('01'), 'the user id must be a whole number from 0'],
    ['a user id beyond u64', ofUser(18446744073709551616n), 'the user id must be a whole number from 0'],
    ['a number that has lost digits', ofUser(2 ** 53), 'write it as a bigint or as text'],
    ['an empty name', ofName(''), 'the name must be 1 to 255 bytes'],
    ['a name of two dots', ofName('..'), 'the name must be 1 to 255 bytes'],
    ['a name with NUL', ofName('a\0'), 'the name must be 1 to 255 bytes'],
    ['a token with spare bits', ofToken(`cnp_${'t'.repeat(43)}`), 'the access token must be "cnp_" and 43 characters'],
    ['a token with a typing error', ofToken(secret), 'the access token must be "cnp_" and 43 characters'],
    ['a trigger id with a slash', { id: secret }, 'the trigger id must be 1 to 255 bytes'],
  ])('rejects before a request is sent and describes valid input: %s', async (_, given, says) => {
    await withStub(respond(200, emptyTree), async (canopy, { targets: asked }) => {
      const ofListing = () => canopy.userContentDirItems(given as ReturnType<typeof ofName>)
      const call = 'id' in given ? canopy.triggerPeek(given) : 'user' in given ? ofListing() : canopy.storageTree(given)
      const failure = await failureOf(call)
      expect(failure.error === 'malformed input' && failure.message).toContain(says)
      expect(JSON.stringify(failure)).not.toContain('almost')
      expect(asked).toEqual([])
    })
  })

  it.each([
    ['limit', [0, 1.5, Number.NaN, 2 ** 53, '1&after=b', null]],
    ['depth', [-1, 1.5, Number.POSITIVE_INFINITY, '1#', null]],
    ['timeoutMs', [Number.NaN, 0, '1000']],
  ])('includes invalid numbers: %s', async (name, wrong) => {
    const canopy = createClient({ baseUrl: 'http://127.0.0.1', retries: 0 })
    for (const given of wrong) {
      const [request, call] = [{ ...visitor, [name]: given }, { [name]: given }]
      const isOfListing = name === 'limit'
      const failure = await failureOf(
        isOfListing ? collect(canopy.userContentItems(request)) : canopy.userContentTree(request, call),
      )
      expect(failure.error === 'malformed input' && failure.message).toContain(`${name} must be a `)
    }
  })

  it.each([
    [{ timeoutMs: 0 }, 'timeoutMs must be a number of milliseconds above 0'],
    [{ retries: -1 }, 'retries must be a number of attempts from 0'],
    [{ backOffMs: -1 }, 'backOffMs must be a number of milliseconds from 0'],
    [{ baseUrl: '/base' }, 'the base URL must be a whole URL: use a URL such as'],
    [{ baseUrl: 'file:///etc' }, 'the base URL must be http or https: use a URL such as'],
    [{ baseUrl: 'https://:secret@files.example' }, 'the base URL may not contain a user name or password'],
    [{ baseUrl: 'https://files.example?x' }, 'the base URL may not contain a "?" or "#"'],
  ])('of an option throws when the client is created: %o', (given, says) => {
    const make = () => createClient({ baseUrl: 'http://127.0.0.1', ...given })
    expect(make).toThrow(CanopyError)
    expect(make).toThrow(says)
    expect(make).not.toThrow('secret')
  })
})
