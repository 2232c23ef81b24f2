import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { refuseSecret } from '../src/AccessToken.js'

describe('a refusal that repeats nothing', () => {
  it('says where and why, and shows neither the value nor what it stood in', () => {
    const context = [
      { key: '', type: t.UnknownRecord, actual: { token: 'secret' } },
      { key: 'token', type: t.string, actual: 'secret' },
    ]
    expect(refuseSecret(context, 'must be another')).toStrictEqual(
      E.left([
        {
          value: '(not shown)',
          context: [
            { key: '', type: t.UnknownRecord, actual: '(not shown)' },
            { key: 'token', type: t.string, actual: '(not shown)' },
          ],
          message: 'must be another',
        },
      ]),
    )
  })
})
