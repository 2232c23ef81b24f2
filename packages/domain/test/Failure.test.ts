import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failure } from '../../testkit/src/arbitraries/values.js'
import * as Failure from '../src/Failure.js'

describe('a failure has a name of the interface, part 7', () => {
  it.each(['bad request', 'External', '', 'toString', null])('not: %j', (u) => {
    expect(Failure.nameCodec.is(u)).toBe(false)
  })

  it('match hands each failure to the case of its name', () => {
    const itself = Failure.match<readonly [string, Failure.Failure]>({
      'invalid token': (given) => ['invalid token', given],
      'not verified': (given) => ['not verified', given],
      'permission denied': (given) => ['permission denied', given],
      'file not found': (given) => ['file not found', given],
      'type mismatch': (given) => ['type mismatch', given],
      external: (given) => ['external', given],
      'trigger not found': (given) => ['trigger not found', given],
    })
    fc.assert(
      fc.property(failure, (given) => {
        expect(itself(given)[0]).toBe(given.error)
        expect(itself(given)[1]).toBe(given)
      }),
    )
  })

  it('each is its name, and nothing else', () => {
    expect([
      Failure.invalidToken,
      Failure.notVerified,
      Failure.permissionDenied,
      Failure.fileNotFound,
      Failure.typeMismatch,
      Failure.triggerNotFound,
    ]).toStrictEqual([
      { error: 'invalid token' },
      { error: 'not verified' },
      { error: 'permission denied' },
      { error: 'file not found' },
      { error: 'type mismatch' },
      { error: 'trigger not found' },
    ])
  })

  it('external carries its cause, for the log', () => {
    const cause = new Error('EIO')
    expect(Failure.external(cause)).toStrictEqual({ error: 'external', cause })
  })
})
