import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapedName } from '../../src/admin/escapedName.js'

const unescaped = (text: string): string =>
  text.replace(/\\(\\|x(..))/g, (_, kind: string, hex: string) =>
    kind === '\\' ? '\\' : String.fromCharCode(Number.parseInt(hex, 16)),
  )

describe('escapedName', () => {
  it.each([
    ['plain name.txt', 'plain name.txt'],
    ['caf\xe9', 'caf\\xe9'],
    ['a\\b\n\x7f', 'a\\\\b\\x0a\\x7f'],
  ])('writes %j as %s', (bytes, text) => {
    expect(escapedName(bytes)).toBe(text)
  })

  it('never writes two names alike', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (each) => {
        const bytes = String.fromCharCode(...each)
        expect(escapedName(bytes)).toMatch(/^[\x20-\x7e]*$/)
        expect(unescaped(escapedName(bytes))).toBe(bytes)
      }),
    )
  })
})
