import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { triggerValue } from '../../testkit/src/arbitraries/values.js'
import * as TriggerValue from '../src/TriggerValue.js'
import { refusal } from './refusal.js'

describe('a trigger value is a JSON object with a string type', () => {
  it('keeps the text as it is', () => {
    fc.assert(
      fc.property(triggerValue, ({ type, json }) => {
        expect(TriggerValue.fromJson(json)).toStrictEqual(E.right({ type, json }))
      }),
    )
  })

  it.each([
    '{"type":"a","n":123456789012345678901234567890}',
    '{ "b" : 1.0 ,\n"type":"a", "a":-0}',
    '{"type":"\\u0061"}',
    '{"type":"a","__proto__":{"type":1}}',
  ])('digits, order and white space included: %s', (json) => {
    expect(TriggerValue.fromJson(json)).toStrictEqual(E.right({ type: 'a', json }))
  })

  it.each([
    ['{"type":"a"', 'a trigger value must be JSON'],
    ['', 'a trigger value must be JSON'],
    ["{'type':'a'}", 'a trigger value must be JSON'],
    ['null', 'a trigger value must be a JSON object'],
    ['"type"', 'a trigger value must be a JSON object'],
    ['[{"type":"a"}]', 'a trigger value must be a JSON object'],
    ['{}', 'a trigger value must have a field "type" that is a string'],
    ['{"type":1}', 'a trigger value must have a field "type" that is a string'],
    ['{"Type":"a"}', 'a trigger value must have a field "type" that is a string'],
    ['{"__proto__":{"type":"a"}}', 'a trigger value must have a field "type" that is a string'],
  ])('%s is none: %s', (json, message) => {
    expect(TriggerValue.fromJson(json)).toStrictEqual(E.left(message))
    expect(refusal(TriggerValue.codec, json)).toStrictEqual([message])
  })

  it.each([
    null,
    'text',
    { json: '{}' },
    { type: 1, json: '{}' },
    { type: 'a' },
    { type: 'a', json: 1 },
    { type: 'a', json: 'garbage' },
    { type: 'a', json: '{}' },
    { type: 'a', json: '{"type":"b"}' },
    { type: 'a', json: '["a"]' },
    Object.assign([], { type: 'a', json: '{}' }),
  ])('%j is not a value', (u) => {
    expect(TriggerValue.codec.is(u)).toBe(false)
  })

  it('what it decodes is a value', () => {
    fc.assert(
      fc.property(triggerValue, (value) => {
        expect(TriggerValue.codec.is({ ...value })).toBe(true)
      }),
    )
  })

  it('the codec takes JSON text, not a parsed object', () => {
    expect(refusal(TriggerValue.codec, { type: 'a' })).toStrictEqual(['a trigger value must be JSON text'])
  })
})
