// Lints the OpenAPI document of the built server, or the one in the file that is named. A warning fails as well.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

// Nobody is granted a licence, so the document names none.
const skipped = ['info-license']

const [file] = process.argv.slice(2)
const redocly = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin/cli.js')

const directory = mkdtempSync(join(tmpdir(), 'canopy-openapi-'))
const path = join(directory, 'openapi.json')
writeFileSync(
  path,
  file === undefined
    ? (await import('../apps/server/dist/openapi/document.js')).documentText
    : readFileSync(file, 'utf8'),
)

const { stdout, stderr } = spawnSync(
  process.execPath,
  [redocly, 'lint', path, '--extends=recommended', ...skipped.map((rule) => `--skip-rule=${rule}`), '--format=json'],
  {
    cwd: directory,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  },
)
rmSync(directory, { recursive: true })

const report = stdout.slice(stdout.indexOf('{'))
if (report === '') {
  console.error(`Redocly gave no report:\n${stderr}`)
  process.exit(1)
}
const { problems } = JSON.parse(report)
for (const { severity, ruleId, message, location } of problems) {
  console.error(`${severity} ${ruleId} ${location[0]?.pointer ?? ''}: ${message}`)
}
console.log(problems.length === 0 ? 'The OpenAPI document is valid.' : `${problems.length} problems.`)
process.exit(problems.length === 0 ? 0 : 1)
