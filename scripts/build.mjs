// Builds all packages. `npm run setup` always builds; vitest builds when a source has changed, because some tests run `dist`.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('..', import.meta.url))

/** Returns the exit code. */
export const build = (root = here, run = runTurbo) => {
  removeStaleBundles(root)
  const inputs = describeInputs(root)
  const status = run() ?? 1
  if (status === 0) writeFileSync(recordIn(root), inputs)
  return status
}

export const buildIfStale = (root = here, run = runTurbo) => {
  if (!isBuilt(root) && build(root, run) !== 0) throw new Error('the build failed: some tests would run the old one')
}

/** A failed setup or build must not leave an older server or command behind, which would start without complaint. */
export const removeStaleBundles = (root = here) => {
  if (isBuilt(root)) return
  for (const directory of packagesIn(root))
    if (existsSync(join(directory, 'bundle.mjs'))) rmSync(join(directory, 'dist/main.js'), { force: true })
  rmSync(recordIn(root), { force: true })
}

/** Called by vitest before the first run; a watching vitest runs again after each edit. */
export const setup = (project) => {
  buildIfStale()
  project.onTestsRerun(() => buildIfStale())
}

const runTurbo = () => {
  const command = [join(here, 'scripts/pnpm.mjs'), 'exec', 'turbo', 'run', 'build', '--output-logs=errors-only']
  // Standard output may be a report of vitest.
  return spawnSync(process.execPath, command, { stdio: ['ignore', 2, 2] }).status
}

const isBuilt = (root) =>
  existsSync(recordIn(root)) &&
  readFileSync(recordIn(root), 'utf8') === describeInputs(root) &&
  packagesIn(root).every((directory) => existsSync(join(directory, 'dist')))

/** The inputs of the last successful build. */
const recordIn = (root) => join(root, 'node_modules/.built')

/** A line for each input file, with its size and time. */
const describeInputs = (root) => {
  const { globalDependencies } = JSON.parse(readFileSync(join(root, 'turbo.json'), 'utf8'))
  const files = [
    ...packagesIn(root).flatMap((directory) => filesIn(directory, notInputs)),
    ...globalDependencies.map((name) => join(root, name)),
  ]
  return files.map((file) => `${file} ${statSync(file).size} ${statSync(file).mtimeMs}\n`).join('')
}

const packagesIn = (root) => {
  const directories = ['apps', 'packages'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => join(root, parent, name)),
  )
  return [...directories, join(root, 'test/support')].filter((directory) => existsSync(join(directory, 'package.json')))
}

/** Directories of a package that no build reads. */
const notInputs = new Set(['bench', 'dist', 'docs', 'node_modules', 'test'])

const filesIn = (directory, ignored = new Set()) =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (ignored.has(entry.name) || entry.name.startsWith('.')) return []
    const path = join(directory, entry.name)
    return entry.isDirectory() ? filesIn(path) : [path]
  })
