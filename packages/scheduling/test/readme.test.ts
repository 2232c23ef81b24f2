import { expect, it } from 'vitest'
import { read } from './readme.js'

it('the example of the README shares one read among concurrent callers', async () => {
  expect(await Promise.all([read(), read()])).toEqual([1, 1])
  expect(await read()).toBe(2)
})
