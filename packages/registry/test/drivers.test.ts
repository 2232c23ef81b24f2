import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const drivers = /node_modules\/(pg|pg-[a-z]+|@photostructure\/sqlite)\//

/** Returns the drivers that a program loads: V8 reports every script that ran. */
const driversOf = (program: string): ReadonlyArray<string> => {
  const reports = mkdtempSync(join(tmpdir(), 'canopy-drivers-'))
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  const env = { PATH: process.env['PATH'], NODE_V8_COVERAGE: reports }
  execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd, env })
  const [report = ''] = readdirSync(reports)
  const { result } = JSON.parse(readFileSync(join(reports, report), 'utf8'))
  rmSync(reports, { recursive: true })
  const names = result.map(({ url }: { readonly url: string }) => drivers.exec(url)?.[1])
  return [...new Set<string>(names)].filter((name) => name !== undefined).sort()
}

it.each([
  ['none without an open registry', "import '@canopy/registry'; import '@canopy/registry/admin'", []],
  [
    'SQLite for a file',
    "import { openRegistryWriter } from '@canopy/registry/admin'; await openRegistryWriter({ engine: 'SQLite', path: '/dev/null/r' })()",
    ['@photostructure/sqlite'],
  ],
])('a program loads only the drivers that it needs: %s', (_, program, expected) => {
  expect(existsSync(fileURLToPath(new URL('../dist/admin/index.js', import.meta.url))), 'build first').toBe(true)
  expect(driversOf(program)).toEqual(expected)
})
