import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from './root.js'

type Case = readonly [file: string, rule: string, text: string]

const imports = (room: string, ...modules: ReadonlyArray<string>): ReadonlyArray<Case> =>
  modules.map((module, index) => [`${room}/src/import${index}.ts`, 'no-restricted-imports', `import '${module}'`])

const lines = (count: number): string => `export const f = (): void => {\n${'  void 0\n'.repeat(count)}}`

/** A file for each rule. Other rules of the same kind share its line of configuration. */
const broken: ReadonlyArray<Case> = [
  ...imports('packages/domain', 'koa', 'node:fs', '@canopy/registry', 'fp-ts/Either', '../../registry/src/index.js'),
  ...imports('packages/http', 'node:http', '@canopy/registry'),
  ...imports('packages/storage-fs', '@canopy/registry', '@canopy/testkit'),
  ...imports('packages/storage-s3', '@canopy/storage-fs'),
  ...imports('packages/registry', '@canopy/storage-fs', '../../../apps/admin/src/main.js'),
  ...imports('packages/testkit', '@canopy/registry'),
  ...imports('packages/client', 'node:fs', '@canopy/domain'),
  ...imports('packages/installation', '@canopy/registry/admin'),
  ...imports('packages/scheduling', '@canopy/domain'),
  ...imports('apps/explorer', 'node:fs'),
  ...imports('apps/harness', '@canopy/server'),
  ...imports('apps/admin', '@canopy/server'),
  ...imports('apps/server', '@canopy/testkit', '@canopy/registry/admin', '@canopy/storage-fs/admin'),
  ['packages/domain/src/throw.ts', ' plugin ', "export const f = (): never => {\n  throw new Error('no')\n}"],
  ['packages/domain/src/class.ts', ' plugin ', 'export class A {\n  readonly a = 1\n}'],
  ['packages/domain/src/let.ts', ' plugin ', 'export const f = (): number => {\n  let a = 1\n  a += 1\n  return a\n}'],
  ['packages/domain/src/await.ts', ' plugin ', 'export const f = async (): Promise<number> => 1'],
  ['packages/domain/src/clock.ts', ' plugin ', 'export const f = (): number => Date.now()'],
  ['packages/domain/src/random.ts', ' plugin ', 'export const f = (): number => Math.random()'],
  ['apps/admin/src/long.ts', 'noExcessiveLinesPerFunction', lines(61)],
  ['apps/server/src/one.ts', 'import(no-cycle)', "import type { Two } from './two.js'\nexport type One = Two | 1"],
  ['apps/server/src/two.ts', 'import(no-cycle)', "import type { One } from './one.js'\nexport type Two = One | 2"],
]

const kept: ReadonlyArray<Case> = [
  ['packages/domain/src/ok.ts', 'no-restricted-imports', "import 'fp-ts/lib/Either.js'\nimport 'io-ts'"],
  ['apps/server/src/ok.ts', 'no-restricted-imports', "import '@canopy/registry'"],
  ['apps/server/src/clock.ts', ' plugin ', 'export const f = (): number => Date.now()'],
  ['apps/admin/src/short.ts', 'noExcessiveLinesPerFunction', lines(60)],
  ['apps/admin/test/long.test.ts', 'noExcessiveLinesPerFunction', lines(61)],
]

describe('lint', () => {
  let directory = ''
  let report: ReadonlyArray<string> = []
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'canopy-lint-'))
    const write = (path: string, put: (target: string) => void) => {
      mkdirSync(dirname(join(directory, path)), { recursive: true })
      put(join(directory, path))
    }
    for (const rules of ['oxlint.config.mjs', 'biome.jsonc', 'scripts/pure.grit'])
      write(rules, (target) => copyFileSync(join(root, rules), target))
    symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
    for (const [file, , text] of [...broken, ...kept]) write(file, (target) => writeFileSync(target, `${text}\n`))
    const run = (program: string, ...parameters: ReadonlyArray<string>) => {
      const words = [join(root, 'node_modules', program), ...parameters]
      const { stdout, stderr } = spawnSync(process.execPath, words, { cwd: directory, encoding: 'utf8' })
      return `${stdout}${stderr}`.split('\n')
    }
    report = [
      ...run('oxlint/bin/oxlint', '-c', 'oxlint.config.mjs', '--format=unix'),
      ...run('@biomejs/biome/bin/biome', 'lint', '--vcs-enabled=false', '--max-diagnostics=none', '.'),
    ]
  })
  afterAll(() => rmSync(directory, { recursive: true }))

  const complaints = (file: string, rule: string) => report.filter((line) => line.includes(file) && line.includes(rule))

  it.each(broken)('refuses %s: %s', (file, rule) => {
    expect(complaints(file, rule)).not.toEqual([])
  })

  it.each(kept)('accepts %s', (file, rule) => {
    expect(complaints(file, rule)).toEqual([])
  })
})
