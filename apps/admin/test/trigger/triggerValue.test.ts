import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { describe, expect, it } from 'vitest'
import { triggerValue } from '../../src/trigger/triggerValue.js'

const json = (type: string, value: string) =>
  pipe(
    triggerValue(type, value),
    E.map((made) => made.json),
  )

describe('the value of a trigger', () => {
  it('is its type and then the fields of --value, digit for digit and in their order', () => {
    expect(json('t', '{"n":18446744073709551615,"b":1.0,"10":1e400,"2":{"deep":0.10}}')).toEqual(
      E.right('{"type":"t","n":18446744073709551615,"b":1.0,"10":1e400,"2":{"deep":0.10}}'),
    )
  })

  it('is the type alone when --value has no fields', () => {
    expect(json('t', '{}')).toEqual(E.right('{"type":"t"}'))
    expect(json('a "quoted" type', ' { } ')).toEqual(E.right('{"type":"a \\"quoted\\" type"}'))
  })

  it('is --value itself when that has the same type already', () => {
    expect(json('t', ' {"a":1,"type":"t"} ')).toEqual(E.right('{"a":1,"type":"t"}'))
  })

  it('keeps fields with the names of an object of JavaScript', () => {
    expect(json('t', '{"__proto__":{"type":"x"},"constructor":1}')).toEqual(
      E.right('{"type":"t","__proto__":{"type":"x"},"constructor":1}'),
    )
  })

  it('is refused when --value contradicts --type, also in another spelling', () => {
    for (const value of ['{"type":"u"}', '{"type":1}', '{"type":null}', '{"\\u0074ype":"u"}']) {
      expect(triggerValue('t', value)).toMatchObject({
        left: { exit: 2, message: expect.stringContaining('leave it out, --type sets it') },
      })
    }
  })

  it('is refused when a field stands in it twice', () => {
    expect(triggerValue('t', '{"a":1,"a":2}')).toMatchObject({
      left: { exit: 2, message: expect.stringMatching(/each field stands once: Duplicate key 'a'/) },
    })
  })

  it('is refused when --value is not one JSON object', () => {
    for (const value of ['', 'x', '{"a":1', '{"a":1}{}', '[]', '1', '"s"', 'null', '{a:1}']) {
      expect(triggerValue('t', value)).toMatchObject({ left: { error: 'wrong usage', exit: 2 } })
    }
  })
})
