import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { operations } from '../src/operations.js'
import { diary, party, sea } from './readme.js'

const textAt = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

describe('the example of the README', () => {
  it('gives what its comments say', () => {
    const said = [...textAt('test/readme.ts').matchAll(/^\/\*\* `(true|false)`/gm)].map(([, value]) => value === 'true')
    expect([sea, party, diary]).toEqual(said)
  })
})

describe('the table of the README', () => {
  const rows = textAt('README.md')
    .split('\n')
    .filter((line) => line.startsWith('| ') && line.includes('.ts`'))

  it('names files and their definitions', () => {
    for (const row of rows) {
      const named = [...(row.split('|')[2]?.matchAll(/`([^`]+)`/g) ?? [])].map(([, name]) => name ?? '')
      const files = named.filter((each) => each.endsWith('.ts'))
      expect(readdirSync(new URL('../src', import.meta.url))).toEqual(expect.arrayContaining(files))
      for (const name of named.filter((each) => !files.includes(each)))
        expect(files.map((file) => textAt(`src/${file}`)).join('\n')).toMatch(
          new RegExp(`^(export )?(const|type) ${name}\\b`, 'm'),
        )
    }
    expect(rows.length).toBeGreaterThan(0)
  })

  it('counts the ports', () => {
    expect(rows.join()).toContain('`ports.ts`, seven interfaces')
    expect([...textAt('src/ports.ts').matchAll(/^export interface \w+Env /gm)].length).toBe(7)
  })
})

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

/** The comment above an operation in the table. */
const docOf = (name: string): string =>
  new RegExp(`/\\*\\*((?:(?!\\*/).)*)\\*/\\n  ${name}: \\(`, 's')
    .exec(textAt('src/operations.ts'))?.[1]
    ?.replace(/\n +\* /g, ' ') ?? ''

describe('the comment above each operation', () => {
  it.each(Object.entries(columns))('names what it fails with: %s', (name, column) => {
    const named = [...docOf(name).matchAll(/`([^`]+)`/g)].map(([, failure]) => failure)
    expect(new Set(named)).toEqual(new Set(column))
    expect(named.length).toBe(column.length)
  })
})
