import { describe, expect, it } from 'vitest'
import { isSafeVersion } from '../../src/sqlite/checkSqliteVersion.js'

describe('a SQLite that can lose commits is refused', () => {
  it.each(['3.51.3', '3.51.10', '3.52.0', '3.53.0', '4.0.0', '10.0'])('%s is safe', (version) => {
    expect(isSafeVersion(version)).toBe(true)
  })
  it.each(['3.51.2', '3.50.9', '3.45.1', '3.7.0', '2.99.99', '3.51', '3', '', 'unknown'])('%j is not', (version) => {
    expect(isSafeVersion(version)).toBe(false)
  })
})
