import { describe, expect, it } from 'vitest'
import * as TriggerId from '../src/TriggerId.js'
import { refusal } from './refusal.js'

describe('a trigger id is what a path segment can be', () => {
  it('the codec says what it must be', () => {
    expect(refusal(TriggerId.codec, 'a/b')).toStrictEqual([
      'must be 1 to 255 bytes of UTF-8 without "/" and NUL, not "." or ".."',
    ])
  })

  it('is a secret: a refused text is not repeated', () => {
    expect(JSON.stringify(TriggerId.codec.decode('secret/secret'))).not.toContain('secret')
  })
})
