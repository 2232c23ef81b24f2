// What `npm start` and `npm test` do first: install exactly what the lockfile says, then build.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { build } from './build.mjs'

const pnpm = fileURLToPath(new URL('pnpm.mjs', import.meta.url))
const step = (...args) => {
  const { status } = spawnSync(process.execPath, [pnpm, ...args], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Canopy needs Node 24, or at least 20.19; this is ${process.versions.node}.`)
  process.exit(1)
}

step('install', '--frozen-lockfile', '--trust-lockfile', '--reporter=append-only', '--loglevel=error')
// What the slow tests of packages and of generated clients use, and nothing else does.
if (process.env.CANOPY_TEST === 'all')
  step('--dir', 'test/consumers', 'install', '--frozen-lockfile', '--loglevel=error')
process.exit(build())
