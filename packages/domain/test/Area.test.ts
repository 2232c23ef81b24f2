import { describe, expect, it } from 'vitest'
import * as Area from '../src/Area.js'

describe('where an area is kept', () => {
  it('is what the adapter wrote', () => {
    expect(Area.location('here')).toBe('here')
  })
})
