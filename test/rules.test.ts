import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from './root.js'

type Files = ReadonlyArray<readonly [path: string, text: string]>

/** A temporary checkout with these files and our lint rules. */
const checkoutWith = (files: Files): string => {
  const directory = mkdtempSync(join(tmpdir(), 'canopy-lint-'))
  for (const rule of ['oxlint.config.mjs', 'biome.jsonc', 'scripts/pure.grit']) {
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

/** Runs a linter on these files. Returns its complaints by file and rule. */
const linting = (files: Files, ...command: ReadonlyArray<string>) => {
  const directory = checkoutWith(files)
  let report = ''
  beforeAll(() => {
    const [program = '', ...parameters] = command
    const { stdout, stderr } = spawnSync(process.execPath, [join(root, 'node_modules', program), ...parameters], {
      cwd: directory,
      encoding: 'utf8',
    })
    report = `${stdout}${stderr}`
  })
  afterAll(() => rmSync(directory, { recursive: true }))
  return (file: string, rule: string): ReadonlyArray<string> =>
    report.split('\n').filter((line) => line.includes(file) && line.includes(rule))
}

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
  'packages/scheduling': ['@canopy/domain', '@canopy/registry', '@canopy/testkit', 'fp-ts/lib/Either.js', 'p-limit'],
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
  'packages/scheduling': ['./a.js'],
  'packages/storage-fs': ['@canopy/domain', '@canopy/scheduling', 'node:fs'],
  'packages/storage-s3': ['@canopy/domain', '@aws-sdk/client-s3'],
  'packages/registry': ['@canopy/domain', '@canopy/scheduling', 'kysely', 'node:fs'],
  'packages/client': ['fp-ts/lib/Either.js', './a.js'],
  'apps/server': ['@canopy/registry', '@canopy/storage-fs', '@canopy/storage-s3', 'koa'],
  'apps/explorer': ['@canopy/client', '@canopy/domain', 'preact'],
  'apps/harness': ['@canopy/testkit', '@canopy/registry/admin'],
  'apps/admin': ['@canopy/registry/admin', '@canopy/storage-fs/admin'],
}

/** One file for each of these imports. */
const importing = (name: string, modules: Readonly<Record<string, ReadonlyArray<string>>>) =>
  Object.entries(modules).flatMap(([room, all]) =>
    all.map((module, index) => [`${room}/src/${name}${index}.ts`, `import '${module}'`] as const),
  )

const oxlint = ['oxlint/bin/oxlint', '-c', 'oxlint.config.mjs', '--format=unix']

describe('the layers', () => {
  const [wrong, right] = [importing('wrong', forbidden), importing('right', allowed)]
  const complaints = linting([...wrong, ...right], ...oxlint)

  it.each(wrong)('refuse in %s: %s', (file) => {
    expect(complaints(file, 'no-restricted-imports')).not.toEqual([])
  })

  it.each(right)('allow in %s: %s', (file) => {
    expect(complaints(file, 'no-restricted-imports')).toEqual([])
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

const biome = ['@biomejs/biome/bin/biome', 'lint', '--vcs-enabled=false', '--max-diagnostics=none', '.']

describe('the purity of the domain', () => {
  const complaints = linting([...impure, ...pure], ...biome)

  it.each(impure)('refuses %s', (file) => {
    expect(complaints(file, ' plugin ')).toHaveLength(1)
  })

  it.each(pure)('allows %s', (file) => {
    expect(complaints(file, ' plugin ')).toEqual([])
  })
})

const functionOf = (lineCount: number): string =>
  ['export const f = (): void => {', ...Array.from({ length: lineCount }, (_, line) => `  void ${line}`), '}'].join(
    '\n',
  )

const short = 'apps/admin/src/short.ts'
const long = ['apps/admin/src/long.ts', 'packages/installation/src/long.ts'] as const
const longTest = 'apps/admin/test/long.test.ts'

describe('the length of a function', () => {
  const complaints = linting(
    [[short, functionOf(60)], ...[...long, longTest].map((file) => [file, functionOf(61)] as const)],
    ...biome,
  )

  it.each(long)('is at most 60 lines in %s', (file) => {
    expect(complaints(file, 'noExcessiveLinesPerFunction')).toHaveLength(1)
  })

  it.each([short, longTest])('is not limited in %s', (file) => {
    expect(complaints(file, 'noExcessiveLinesPerFunction')).toEqual([])
  })
})

describe('imports', () => {
  const complaints = linting(
    [
      ['apps/server/src/one.ts', "import type { Two } from './two.js'\nexport type One = Two | 1"],
      ['apps/server/src/two.ts', "import type { One } from './one.js'\nexport type Two = One | 2"],
      ['apps/server/src/three.ts', "import type { One } from './one.js'\nexport type Three = One | 3"],
    ],
    ...oxlint,
  )

  it.each(['one', 'two'])('of types alone may not form a cycle: %s', (name) => {
    expect(complaints(`apps/server/src/${name}.ts`, 'import(no-cycle)')).toHaveLength(1)
  })

  it('into a cycle are allowed', () => {
    expect(complaints('apps/server/src/three.ts', 'import(no-cycle)')).toEqual([])
  })
})
