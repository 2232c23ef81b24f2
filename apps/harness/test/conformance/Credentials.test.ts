import { fixture, fixtureTokens } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { concealed, credentialsFromJson, realTarget } from '../../src/Asking.js'

const { owner, scoped } = fixtureTokens
const real = new Map([
  [owner, 'real/owner token'],
  ['1', '4711'],
  ['doorbell', 'b11'],
])

describe('the real credentials', () => {
  it.each([
    [`/api/storage/v1/tree/${owner}/photos?depth=1`, '/api/storage/v1/tree/real%2Fowner%20token/photos?depth=1'],
    [`/api/storage/v1/diritems/${owner}`, '/api/storage/v1/diritems/real%2Fowner%20token'],
    ['/api/usercontent/v1/tree/id/1/1', '/api/usercontent/v1/tree/id/4711/1'],
    ['/api/usercontent/v1/diritems/id/1', '/api/usercontent/v1/diritems/id/4711'],
    ['/api/triggers/v1/peek/doorbell', '/api/triggers/v1/peek/b11'],
    ['/api/triggers/v1/peek/doorbell/more', '/api/triggers/v1/peek/b11/more'],
  ])('take the place of those of the fixture: %s', (target, expected) => {
    expect(realTarget(real, target)).toBe(expected)
  })

  it.each([
    `/api/storage/v1/tree/${owner.toUpperCase()}/photos`,
    `/api/storage/v1/tree/${scoped}/${owner}`,
    '/api/usercontent/v1/tree/id/01',
    '/api/storage/v1/tree/%zz',
    '/favicon.ico',
    '*',
  ])('leave everything else alone: %s', (target) => {
    expect(realTarget(real, target)).toBe(target)
  })

  it('are escaped where those of the fixture were needlessly so', () => {
    expect(realTarget(real, '/api/usercontent/v1/tree/id/%31/a')).toBe('/api/usercontent/v1/tree/id/%34%37%31%31/a')
  })

  it('are shown in no answer, unless they are too short to be secrets', () => {
    const answer = {
      status: 200,
      headers: [['Link', '</tree/real%2Fowner%20token?after=a>; rel="next"']] as const,
      body: Buffer.from('{"token":"real/owner token","size":4711}'),
      complete: true,
    }
    const shown = concealed(real, answer)
    expect(shown.headers).toEqual([['Link', `</tree/${owner}?after=a>; rel="next"`]])
    expect(shown.body.toString()).toBe(`{"token":"${owner}","size":4711}`)
  })
})

describe('a file of credentials', () => {
  const read = credentialsFromJson(fixture(true))

  it('is an object from the fixture’s tokens and ids to the real ones', () => {
    expect(read(JSON.stringify(Object.fromEntries(real)))).toEqual(E.right(real))
  })

  it.each([
    ['[', 'it is no JSON: '],
    ['["a"]', 'it is something else: '],
    ['{"1":1}', 'it is something else: '],
    ['{"cnp_typo":"secret"}', 'the fixture has no "cnp_typo": '],
  ])('that is none is refused: %s', (text, beginning) => {
    expect(read(text)).toEqual(
      E.left(
        `${beginning}it must be a JSON object from the tokens, user ids and trigger ids of the fixture to the real ones, as texts`,
      ),
    )
  })
})
