import { describe, expect, it } from 'vitest'
import { versionIn } from '../src/commandLine.js'

describe('the version of a program', () => {
  it('is what its package.json tells', () => {
    expect(versionIn('{"name":"canopy","version":"1.2.3"}')).toBe('1.2.3')
  })

  it.each(['', '{', '[]', 'null', '{"version":1}'])('is unknown where it tells none: %s', (text) => {
    expect(versionIn(text)).toBe('unknown')
  })
})
