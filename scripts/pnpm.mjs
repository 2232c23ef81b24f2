// Runs the pnpm that packageManager pins, so that a machine needs only Node and npm.
//
// pnpm/package-lock.json pins the hashes of pnpm and of its binaries for Linux (glibc, x64 and arm64), which npm verifies. On other
// systems npm verifies only the registry's hash of the binary.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const home = `${root}scripts/pnpm/`
const read = (file) => JSON.parse(readFileSync(file, 'utf8'))

const refuse = (reason) => {
  console.error(reason)
  process.exit(1)
}

const { packageManager } = read(`${root}package.json`)
const { packages: pinned } = read(`${home}package-lock.json`)
const { version, integrity } = pinned['node_modules/pnpm']
const hex = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex')
const pin = `pnpm@${version}+sha512.${hex}`
if (packageManager !== pin)
  refuse(`package.json names ${packageManager}, but scripts/pnpm/package-lock.json pins ${pin}`)

const exe = 'node_modules/@pnpm/exe.'
const isPinned = ([path, entry]) => (path in pinned ? entry.integrity === pinned[path].integrity : path.startsWith(exe))

/** The directory of pnpm's binary for this system, unless an installed package differs from the lockfile. */
const installed = () => {
  const record = `${home}node_modules/.package-lock.json`
  const found = existsSync(record) ? Object.entries(read(record).packages) : []
  const [binary] = found.find(([path]) => path.startsWith(exe)) ?? []
  return found.every(isPinned) ? binary : undefined
}

const install = () => {
  // Runs no scripts of packages. Standard output belongs to pnpm.
  const words = ['install', '--no-save', '--ignore-scripts', '--include=optional', '--no-audit', '--no-fund']
  const stdio = ['ignore', 'ignore', 'inherit']
  const { error, status } = spawnSync('npm', words, { cwd: home, stdio, shell: process.platform === 'win32' })
  if (error) refuse(`npm cannot be run: ${error.message}`)
  if (status !== 0) refuse(`npm did not install ${pin}`)
  return (
    installed() ?? refuse('npm installed no binary of pnpm: there is none for this system, or it differs from its hash')
  )
}

const folder = home + (installed() ?? install())
const run = spawnSync(`${folder}/pnpm`, process.argv.slice(2), {
  cwd: root,
  stdio: 'inherit',
  // turbo runs the first pnpm of the PATH.
  env: {
    ...process.env,
    PATH: folder + delimiter + process.env.PATH,
    TURBO_TELEMETRY_DISABLED: '1',
    DO_NOT_TRACK: '1',
  },
})
if (run.error) console.error(`pnpm cannot be run: ${run.error.message}`)
process.exit(run.status ?? 1)
