import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { operations } from '../src/operations.js'

const source = readFileSync(new URL('../src/operations.ts', import.meta.url), 'utf8')

const ofStorage = [
  'external',
  'file not found',
  'invalid token',
  'not verified',
  'permission denied',
  'type mismatch',
] as const
const ofUserContent = ['external', 'file not found', 'permission denied', 'type mismatch'] as const

/** The columns of part 7; that each operation fails with its own and nothing else is a type test. */
const columns: { readonly [Name in keyof typeof operations]: ReadonlyArray<string> } = {
  storageTree: ofStorage,
  userContentTree: ofUserContent,
  storageDirItems: ofStorage,
  userContentDirItems: ofUserContent,
  triggerPeek: ['external', 'trigger not found'],
}

/** What stands above an operation in the table. */
const docOf = (name: string): string =>
  new RegExp(`/\\*\\*((?:(?!\\*/).)*)\\*/\\n  ${name}: \\(`, 's').exec(source)?.[1]?.replace(/\n +\* /g, ' ') ?? ''

describe('what stands above each operation', () => {
  it.each(Object.entries(columns))('names what it fails with: %s', (name, column) => {
    const named = [...docOf(name).matchAll(/`([^`]+)`/g)].map(([, failure]) => failure)
    expect(new Set(named)).toEqual(new Set(column))
    expect(named.length).toBe(column.length)
  })
})
