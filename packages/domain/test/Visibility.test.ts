import { describe, expect, it } from 'vitest'
import * as Visibility from '../src/Visibility.js'

describe('a visibility is public, hidden or private', () => {
  it('is one of these, in lower case, and nothing else', () => {
    expect(Visibility.all.filter(Visibility.codec.is)).toStrictEqual(['public', 'hidden', 'private'])
    for (const u of ['Public', 'PRIVATE', 'secret', '', ' public', 'toString', '__proto__', 0, null, undefined])
      expect(Visibility.codec.is(u)).toBe(false)
  })
})
