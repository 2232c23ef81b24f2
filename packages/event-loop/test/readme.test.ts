import { describe, expect, it } from 'vitest'
import { squares } from './readme.js'

describe('the example of the README', () => {
  it('does what it says', async () => {
    expect(await squares([1, 2, 3])).toEqual([1, 4, 9])
  })
})
