// Runs the pnpm named by packageManager, so that Node and npm are all a machine needs.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const { packageManager } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

const run = spawnSync('npx', ['--yes', packageManager, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' },
})
if (run.error) console.error(`Could not run ${packageManager} through npx: ${run.error.message}`)
process.exit(run.status ?? 1)
