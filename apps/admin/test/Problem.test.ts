import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { problemNames } from '../src/Problem.js'

describe('the names of problems', () => {
  it('are those of the page about the command, and no others', () => {
    const page = readFileSync(new URL('../../../docs/admin.md', import.meta.url), 'utf8')
    const [, table = ''] = /\n\| `error` .*\n\|.*\n((?:\|.*\n)+)/.exec(page) ?? []
    const firstCells = table.split('\n').map((row) => row.split('|')[1] ?? '')
    const told = firstCells.flatMap((cell) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name]) => name))
    expect(new Set(told)).toEqual(new Set(problemNames))
  })
})
