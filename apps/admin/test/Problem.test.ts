import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Problem } from '../src/Problem.js'

/** All of them: one that is left out does not compile. */
const names: { readonly [Name in Problem['error']]: null } = {
  'account exists': null,
  'area not creatable': null,
  external: null,
  'no such account': null,
  'no such setting': null,
  'no such token': null,
  'no such trigger': null,
  'not confirmed': null,
  'registry unavailable': null,
  'trigger exists': null,
  'wrong demo file': null,
  'wrong environment': null,
  'wrong usage': null,
}

describe('the names of problems', () => {
  it('are those of the page about the command, and no others', () => {
    const page = readFileSync(new URL('../../../docs/admin.md', import.meta.url), 'utf8')
    const [, table = ''] = /\n\| `error` .*\n\|.*\n((?:\|.*\n)+)/.exec(page) ?? []
    const firstCells = table.split('\n').map((row) => row.split('|')[1] ?? '')
    const told = firstCells.flatMap((cell) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name]) => name))
    expect(new Set(told)).toEqual(new Set(Object.keys(names)))
  })
})
