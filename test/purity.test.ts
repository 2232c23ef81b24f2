import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { planted, root } from './planted.js'

const impure = [
  ['packages/domain/src/a.ts', "export const f = (): never => {\n  throw new Error('no')\n}"],
  ['packages/domain/src/b.ts', 'export class A {\n  readonly a = 1\n}'],
  ['packages/domain/src/b1.ts', 'export class A implements Iterable<number> {\n  *[Symbol.iterator]() {}\n}'],
  ['packages/domain/src/b2.ts', "import { B } from './b.js'\nexport class A extends B {\n  readonly a = 1\n}"],
  ['packages/domain/src/c.ts', 'export const f = (): number => {\n  let a = 1\n  a += 1\n  return a\n}'],
  ['packages/domain/src/c1.ts', 'export const f = (): number => {\n  var a = 1\n  return a\n}'],
  ['packages/domain/src/d.ts', 'export const f = async (a: Promise<number>): Promise<number> => (await a) + 1'],
  ['packages/domain/src/e.ts', 'export const f = (): number => Date.now()'],
  ['packages/domain/src/f.ts', 'export const f = (): Date => new Date()'],
  ['packages/domain/src/g.ts', 'export const f = (): number => Math.random()'],
] as const

const pure = [
  ['packages/domain/src/ok.ts', 'export const f = (a: number): number => a + 1'],
  ['apps/server/src/ok.ts', 'export const f = (): number => Date.now()'],
] as const

describe('the purity of the domain', () => {
  const directory = planted([...impure, ...pure])
  let report = ''

  beforeAll(() => {
    report = spawnSync(
      process.execPath,
      [
        join(root, 'node_modules/@biomejs/biome/bin/biome'),
        'lint',
        '--vcs-enabled=false',
        '--max-diagnostics=none',
        '.',
      ],
      { cwd: directory, encoding: 'utf8' },
    ).stderr
  })
  afterAll(() => rmSync(directory, { recursive: true }))

  const complaints = (file: string): ReadonlyArray<string> =>
    report.split('\n').filter((line) => line.startsWith(file) && line.includes(' plugin '))

  it.each(impure)('%s may not do what it does', (file) => {
    expect(complaints(file)).toHaveLength(1)
  })

  it.each(pure)('%s may', (file) => {
    expect(complaints(file)).toEqual([])
  })
})
