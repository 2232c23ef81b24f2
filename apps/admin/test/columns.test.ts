import { describe, expect, it } from 'vitest'
import { columns } from '../src/columns.js'

describe('columns', () => {
  it('are as wide as their widest cell, with nothing behind the last', () => {
    expect(
      columns([
        ['NAME', 'AGE', ''],
        ['a', '1', 'old'],
        ['longest', '10'],
      ]),
    ).toEqual(['NAME     AGE', 'a        1    old', 'longest  10'])
    expect(columns([])).toEqual([])
  })

  it('are as wide as what is printed: a tab takes five', () => {
    expect(
      columns([
        ['NAME', 'AGE'],
        ['a\tb', '1'],
      ]),
    ).toEqual(['NAME     AGE', 'a\\u{9}b  1'])
  })

  it('hold as many rows as an account has settings', () => {
    const lines = columns(Array.from({ length: 300_000 }, (_, row) => [String(row), 'public']))
    expect(lines.length).toBe(300_000)
    expect(lines[7]).toBe('7       public')
  })
})
