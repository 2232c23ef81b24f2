import { describe, expect, it } from 'vitest'
import { wrongAnswers } from './readme.js'

describe('the example of the README', () => {
  it('does what it says', async () => {
    expect(await wrongAnswers()).toEqual([])
  })
})
