// Lints the OpenAPI document with Redocly and Spectral, or the one in the file that is named. A warning fails as well.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import spectral from '@stoplight/spectral-core'
import parsers from '@stoplight/spectral-parsers'
import rulesets from '@stoplight/spectral-rulesets'

const [file = fileURLToPath(new URL('../apps/server/src/openapi/openapi.yaml', import.meta.url))] =
  process.argv.slice(2)

const redocly = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin/cli.js')
const { stdout, stderr } = spawnSync(
  process.execPath,
  [redocly, 'lint', file, '--extends=recommended-strict', '--format=json'],
  {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  },
)
const report = stdout.slice(stdout.indexOf('{'))
if (report === '') {
  console.error(`Redocly gave no report:\n${stderr}`)
  process.exit(1)
}
const byRedocly = JSON.parse(report).problems.map(
  ({ severity, ruleId, message, location }) => `${severity} ${ruleId} ${location[0]?.pointer ?? ''}: ${message}`,
)

const linter = new spectral.Spectral()
linter.setRuleset({ extends: [rulesets.oas] })
const found = await linter.run(new spectral.Document(readFileSync(file, 'utf8'), parsers.Yaml, file))
const bySpectral = found.map(({ code, path, message }) => `Spectral ${code} ${path.join('/')}: ${message}`)

const problems = [...byRedocly, ...bySpectral]
for (const problem of problems) console.error(problem)
console.log(problems.length === 0 ? 'The OpenAPI document is valid.' : `${problems.length} problems.`)
process.exit(problems.length === 0 ? 0 : 1)
