import { describe, expect, it } from 'vitest'
import { isReachable } from './readme.js'

describe('the example of the README', () => {
  it('does what it says', () => {
    expect(['/photos/sea.jpg', '/photos/2024/sea.jpg', '/diary.txt', '/'].map(isReachable)).toEqual([
      true,
      false,
      false,
      false,
    ])
  })
})
