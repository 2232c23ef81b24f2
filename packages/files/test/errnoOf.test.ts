import { expect, it } from 'vitest'
import { errnoOf } from '../src/errnoOf.js'

it('is the name of the errno, or empty', () => {
  expect(errnoOf(Object.assign(new Error('EIO'), { code: 'EIO' }))).toBe('EIO')
  expect(errnoOf(new Error('EIO'))).toBe('')
  expect(errnoOf(Object.assign(new Error('EIO'), { code: 5 }))).toBe('')
  expect(errnoOf({ code: 'EIO' })).toBe('')
})
