// `npm start`, `npm test` and `npm run setup`: installs what the lockfile pins, then builds.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { build, removeStaleBundles } from './build.mjs'

const pnpm = fileURLToPath(new URL('pnpm.mjs', import.meta.url))
const run = (...args) => {
  const { status } = spawnSync(process.execPath, [pnpm, ...args], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Canopy needs Node 24, or at least 20.19; this is ${process.versions.node}.`)
  process.exit(1)
}

removeStaleBundles()
run('install', '--frozen-lockfile', '--trust-lockfile', '--reporter=append-only', '--loglevel=error')
// Only the slow tests of packages and of generated clients need these.
if (process.env.CANOPY_TEST === 'all')
  run('--dir', 'test/consumers', 'install', '--frozen-lockfile', '--loglevel=error')
process.exit(build())
