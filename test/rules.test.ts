import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from './root.js'

type Files = ReadonlyArray<readonly [path: string, text: string]>

/** A scrap checkout that holds these files and our lint rules, to see what the rules say of them. */
const seeded = (files: ReadonlyArray<readonly [path: string, text: string]>): string => {
  const directory = mkdtempSync(join(tmpdir(), 'canopy-lint-'))
  for (const rule of ['.oxlintrc.json', 'biome.json', 'scripts/pure.grit']) {
    mkdirSync(dirname(join(directory, rule)), { recursive: true })
    copyFileSync(join(root, rule), join(directory, rule))
  }
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
  for (const [path, text] of files) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), `${text}\n`)
  }
  return directory
}

/** What a linter of ours says of these files, each by its path. */
const linting = (files: Files, ...words: ReadonlyArray<string>) => {
  const directory = seeded(files)
  const said = { report: '' }
  beforeAll(() => {
    const [program = '', ...parameters] = words
    const { stdout, stderr } = spawnSync(process.execPath, [join(root, 'node_modules', program), ...parameters], {
      cwd: directory,
      encoding: 'utf8',
    })
    said.report = `${stdout}${stderr}`
  })
  afterAll(() => rmSync(directory, { recursive: true }))
  return (file: string, rule: string): ReadonlyArray<string> =>
    said.report.split('\n').filter((line) => line.includes(file) && line.includes(rule))
}

// Layers: who imports whom.

const forbidden = {
  'packages/domain': [
    'koa',
    'node:fs',
    '@canopy/registry',
    'fast-check',
    'fp-ts/Either',
    'io-ts/PathReporter',
    '../../registry/src/index.js',
  ],
  'packages/http': ['node:http', 'koa', '@canopy/registry', 'io-ts', 'fp-ts/Either', '../../domain/src/index.js'],
  'packages/storage-fs': ['@canopy/registry', '@canopy/server', '@canopy/testkit', '@canopy/test-support'],
  'packages/storage-s3': ['@canopy/storage-fs', '@canopy/testkit'],
  'packages/registry': ['@canopy/storage-fs', '@canopy/storage-fs/admin', '../../../apps/admin/src/main.js'],
  'packages/testkit': ['@canopy/registry', '@canopy/test-support'],
  'packages/client': [
    'node:fs',
    '@canopy/testkit',
    '@canopy/registry',
    '@canopy/domain',
    'io-ts',
    'fp-ts/Either',
    '../../domain/src/index.js',
  ],
  'packages/installation': ['@canopy/registry/admin', '@canopy/storage-s3/admin'],
  'apps/explorer': ['@canopy/registry', 'node:fs'],
  'apps/harness': ['@canopy/server'],
  'apps/admin': ['@canopy/server'],
  'apps/server': [
    '@canopy/testkit',
    '@canopy/test-support',
    'fp-ts/Either',
    '@canopy/registry/admin',
    '@canopy/storage-fs/admin',
    '@canopy/storage-s3/admin',
  ],
}

const allowed = {
  'packages/domain': ['fp-ts/lib/Either.js', 'io-ts', 'io-ts/lib/PathReporter.js', './a.js'],
  'packages/http': ['@canopy/domain', 'fp-ts/lib/Either.js', './a.js'],
  'packages/storage-fs': ['@canopy/domain', 'node:fs'],
  'packages/storage-s3': ['@canopy/domain', '@aws-sdk/client-s3'],
  'packages/registry': ['@canopy/domain', 'kysely', 'node:fs'],
  'packages/client': ['fp-ts/lib/Either.js', './a.js'],
  'apps/server': ['@canopy/registry', '@canopy/storage-fs', '@canopy/storage-s3', 'koa'],
  'apps/explorer': ['@canopy/client', '@canopy/domain', 'preact'],
  'apps/harness': ['@canopy/testkit', '@canopy/registry/admin'],
  'apps/admin': ['@canopy/registry/admin', '@canopy/storage-fs/admin'],
}

/** Files of these rooms, each of which imports one of these modules. */
const importing = (name: string, modules: Readonly<Record<string, ReadonlyArray<string>>>) =>
  Object.entries(modules).flatMap(([room, all]) =>
    all.map((module, index) => [`${room}/src/${name}${index}.ts`, `import '${module}'`] as const),
  )

describe('the layers', () => {
  const [wrong, right] = [importing('wrong', forbidden), importing('right', allowed)]
  const complaints = linting([...wrong, ...right], 'oxlint/bin/oxlint', '--format=unix')

  it.each(wrong)('%s may not say %s', (file) => {
    expect(complaints(file, 'no-restricted-imports')).not.toEqual([])
  })

  it.each(right)('%s may say %s', (file) => {
    expect(complaints(file, 'no-restricted-imports')).toEqual([])
  })
})

describe('import cycles of types', () => {
  const rooms = ['apps/server', 'packages/http']
  const files = rooms.flatMap((room) =>
    [
      ['a', "import type { B } from './b.js'\nexport type A = B | 'a'"],
      ['b', "import type { A } from './a.js'\nexport type B = A | 'b'"],
    ].map(([name = '', text = '']) => [`${room}/src/${name}.ts`, text] as const),
  )
  const complaints = linting(files, 'oxlint/bin/oxlint', '--format=unix')

  it.each(files)('fail lint in %s', (file) => {
    expect(complaints(file, 'no-cycle')).toHaveLength(1)
  })
})

const impure = [
  ['packages/domain/src/a.ts', "export const f = (): never => {\n  throw new Error('no')\n}"],
  ['packages/domain/src/b.ts', 'export class A {\n  readonly a = 1\n}'],
  ['packages/domain/src/b1.ts', 'export class A implements Iterable<number> {\n  *[Symbol.iterator]() {}\n}'],
  ['packages/domain/src/b2.ts', "import { B } from './b.js'\nexport class A extends B {\n  readonly a = 1\n}"],
  ['packages/domain/src/c.ts', 'export const f = (): number => {\n  let a = 1\n  a += 1\n  return a\n}'],
  ['packages/domain/src/c1.ts', 'export const f = (): number => {\n  var a = 1\n  return a\n}'],
  ['packages/domain/src/b3.ts', 'export const f = (): unknown => class {}'],
  ['packages/domain/src/c2.ts', 'export const f = (all: Array<number>): void => {\n  for (let a of all) void a\n}'],
  ['packages/domain/src/d.ts', 'export const a = await Promise.resolve(1)'],
  ['packages/domain/src/d1.ts', 'export const f = async (): Promise<number> => 1'],
  ['packages/domain/src/d2.ts', 'export async function f(): Promise<number> {\n  return 1\n}'],
  ['packages/domain/src/d3.ts', 'export const a = {\n  async f(): Promise<number> {\n    return 1\n  },\n}'],
  ['packages/domain/src/e.ts', 'export const f = (): number => Date.now()'],
  ['packages/domain/src/e1.ts', 'export const f = (): string => Date()'],
  ['packages/domain/src/f.ts', 'export const f = (): Date => new Date()'],
  ['packages/domain/src/g.ts', 'export const f = (): number => Math.random()'],
] as const

const pure = [
  ['packages/domain/src/ok.ts', 'export const f = (a: number): number => a + 1'],
  ['apps/server/src/ok.ts', 'export const f = (): number => Date.now()'],
] as const

describe('the purity of the domain', () => {
  const words = ['lint', '--vcs-enabled=false', '--max-diagnostics=none', '.']
  const complaints = linting([...impure, ...pure], '@biomejs/biome/bin/biome', ...words)

  it.each(impure)('%s may not do what it does', (file) => {
    expect(complaints(file, ' plugin ')).toHaveLength(1)
  })

  it.each(pure)('%s may', (file) => {
    expect(complaints(file, ' plugin ')).toEqual([])
  })
})
