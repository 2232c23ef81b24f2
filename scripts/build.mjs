// Builds all packages: `npm run setup` always, and vitest whenever a source differs from the last build, since some tests run `dist`.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('..', import.meta.url))

/** Directories of a package that no build reads. */
const unread = new Set(['bench', 'dist', 'docs', 'node_modules', 'test'])

const filesIn = (directory, ignored = new Set()) =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (ignored.has(entry.name) || entry.name.startsWith('.')) return []
    const path = join(directory, entry.name)
    return entry.isDirectory() ? filesIn(path) : [path]
  })

const packagesIn = (root) => {
  const inRooms = ['apps', 'packages'].flatMap((room) =>
    readdirSync(join(root, room)).map((name) => join(root, room, name)),
  )
  return [...inRooms, join(root, 'test/support')].filter((directory) => existsSync(join(directory, 'package.json')))
}

/** A line for each file that a build may read, with its size and time. */
const inputsOf = (root) => {
  const { globalDependencies } = JSON.parse(readFileSync(join(root, 'turbo.json'), 'utf8'))
  const files = [
    ...packagesIn(root).flatMap((directory) => filesIn(directory, unread)),
    ...globalDependencies.map((name) => join(root, name)),
  ]
  return files.map((file) => `${file} ${statSync(file).size} ${statSync(file).mtimeMs}\n`).join('')
}

/** The inputs of the last build. */
const recordIn = (root) => join(root, 'node_modules/.built')

const isBuilt = (root) =>
  existsSync(recordIn(root)) &&
  readFileSync(recordIn(root), 'utf8') === inputsOf(root) &&
  packagesIn(root).every((directory) => existsSync(join(directory, 'dist')))

const turbo = () => {
  const build = [join(here, 'scripts/pnpm.mjs'), 'exec', 'turbo', 'run', 'build', '--output-logs=errors-only']
  // Standard output may be a report of vitest.
  return spawnSync(process.execPath, build, { stdio: ['ignore', 2, 2] }).status
}

/** Returns the exit code. */
export const build = (root = here, run = turbo) => {
  const inputs = inputsOf(root)
  const status = run() ?? 1
  if (status === 0) writeFileSync(recordIn(root), inputs)
  return status
}

export const buildIfStale = (root = here, run = turbo) => {
  if (!isBuilt(root) && build(root, run) !== 0) throw new Error('the build failed: some tests would run the old one')
}

/** Called by vitest before the first run; a watching vitest runs again after each edit. */
export const setup = (project) => {
  buildIfStale()
  project.onTestsRerun(() => buildIfStale())
}
