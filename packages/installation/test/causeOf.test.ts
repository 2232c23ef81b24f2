import { expect, it } from 'vitest'
import { causeOf } from '../src/commandLine.js'

it('what was thrown says something of itself in one line, whatever it is', () => {
  expect(causeOf(new Error('no way'))).toBe('no way')
  expect(causeOf(Object.assign(new Error(''), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED')
  expect(causeOf(new TypeError(''))).toBe('TypeError')
  expect(causeOf({ error: 'external' })).toBe("{ error: 'external' }")
  expect(causeOf(undefined)).toBe('undefined')
})
