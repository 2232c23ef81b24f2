import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from './root.js'

type Files = ReadonlyArray<readonly [path: string, text: string]>

/** A scrap checkout that holds these files and our lint rules, to see what the rules say of them. */
const planted = (files: ReadonlyArray<readonly [path: string, text: string]>): string => {
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
  const directory = planted(files)
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

const forbidden = [
  ['packages/domain/src/a.ts', "import 'koa'"],
  ['packages/domain/src/b.ts', "import 'node:fs'"],
  ['packages/domain/src/c.ts', "import '@canopy/registry'"],
  ['packages/domain/src/d.ts', "import 'fast-check'"],
  ['packages/domain/src/e.ts', "import 'fp-ts/Either'"],
  ['packages/domain/src/f.ts', "import '../../registry/src/index.js'"],
  ['packages/domain/src/g.ts', "import 'io-ts/PathReporter'"],
  ['packages/storage-fs/src/a.ts', "import '@canopy/registry'"],
  ['packages/storage-fs/src/b.ts', "import '@canopy/server'"],
  ['packages/storage-fs/src/c.ts', "import '@canopy/testkit'"],
  ['packages/storage-fs/src/d.ts', "import '@canopy/test-support'"],
  ['packages/storage-s3/src/a.ts', "import '@canopy/storage-fs'"],
  ['packages/storage-s3/src/b.ts', "import '@canopy/testkit'"],
  ['packages/registry/src/a.ts', "import '@canopy/storage-fs'"],
  ['packages/registry/src/b.ts', "import '@canopy/storage-fs/admin'"],
  ['packages/registry/src/c.ts', "import '../../../apps/admin/src/main.js'"],
  ['packages/testkit/src/a.ts', "import '@canopy/registry'"],
  ['packages/testkit/src/b.ts', "import '@canopy/test-support'"],
  ['packages/client/src/b.ts', "import 'node:fs'"],
  ['packages/client/src/c.ts', "import '@canopy/testkit'"],
  ['packages/client/src/a.ts', "import '@canopy/registry'"],
  ['packages/client/src/d.ts', "import '@canopy/domain'"],
  ['packages/client/src/e.ts', "import 'io-ts'"],
  ['packages/client/src/f.ts', "import '../../domain/src/index.js'"],
  ['packages/client/src/g.ts', "import 'fp-ts/Either'"],
  ['packages/installation/src/a.ts', "import '@canopy/registry/admin'"],
  ['packages/installation/src/b.ts', "import '@canopy/storage-s3/admin'"],
  ['apps/explorer/src/a.ts', "import '@canopy/registry'"],
  ['apps/explorer/src/b.ts', "import 'node:fs'"],
  ['apps/harness/src/a.ts', "import '@canopy/server'"],
  ['apps/admin/src/a.ts', "import '@canopy/server'"],
  ['apps/server/src/a.ts', "import '@canopy/registry/admin'"],
  ['apps/server/src/b.ts', "import '@canopy/storage-fs/admin'"],
  ['apps/server/src/f.ts', "import '@canopy/storage-s3/admin'"],
  ['apps/server/src/c.ts', "import '@canopy/testkit'"],
  ['apps/server/src/e.ts', "import '@canopy/test-support'"],
  ['apps/server/src/d.ts', "import 'fp-ts/Either'"],
] as const

const allowed = [
  [
    'packages/domain/src/ok.ts',
    "import 'fp-ts/lib/Either.js'\nimport 'io-ts'\nimport 'io-ts/lib/PathReporter.js'\nimport './a.js'",
  ],
  ['packages/storage-fs/src/ok.ts', "import '@canopy/domain'\nimport 'node:fs'"],
  ['packages/storage-s3/src/ok.ts', "import '@canopy/domain'\nimport '@aws-sdk/client-s3'"],
  ['packages/registry/src/ok.ts', "import '@canopy/domain'\nimport 'kysely'\nimport 'node:fs'"],
  ['packages/client/src/ok.ts', "import 'fp-ts/lib/Either.js'\nimport './a.js'"],
  [
    'apps/server/src/ok.ts',
    "import '@canopy/registry'\nimport '@canopy/storage-fs'\nimport '@canopy/storage-s3'\nimport 'koa'",
  ],
  ['apps/explorer/src/ok.ts', "import '@canopy/client'\nimport '@canopy/domain'\nimport 'preact'"],
  ['apps/harness/src/ok.ts', "import '@canopy/testkit'\nimport '@canopy/registry/admin'"],
  ['apps/admin/src/ok.ts', "import '@canopy/registry/admin'\nimport '@canopy/storage-fs/admin'"],
] as const

describe('the layers', () => {
  const complaints = linting([...forbidden, ...allowed], 'oxlint/bin/oxlint', '--format=unix')

  it.each(forbidden)('%s may not say %s', (file) => {
    expect(complaints(file, 'no-restricted-imports')).not.toEqual([])
  })

  it.each(allowed)('%s may say what it needs', (file) => {
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
  const words = ['lint', '--vcs-enabled=false', '--max-diagnostics=none', '.']
  const complaints = linting([...impure, ...pure], '@biomejs/biome/bin/biome', ...words)

  it.each(impure)('%s may not do what it does', (file) => {
    expect(complaints(file, ' plugin ')).toHaveLength(1)
  })

  it.each(pure)('%s may', (file) => {
    expect(complaints(file, ' plugin ')).toEqual([])
  })
})
