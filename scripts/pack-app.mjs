// Packs as one npm package, in the given folder:
//   npm run pack:app [-- FOLDER]        canopy-VERSION.tgz: the server, the command and the page
//   npm run pack:harness [-- FOLDER]    canopy-harness-VERSION.tgz
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const pnpm = join(root, 'scripts/pnpm.mjs')
const isHarness = process.argv[2] === '--harness'
const folder = resolve(process.argv[isHarness ? 3 : 2] ?? '.')
const [name, apps, bundled] = isHarness
  ? ['canopy-harness', ['harness'], ['harness']]
  : ['canopy', ['admin', 'server'], ['server', 'admin', 'explorer']]
mkdirSync(folder, { recursive: true })

/** The driver has its own binaries. Everything else is in the bundles. */
const driver = '@photostructure/sqlite'

const manifestIn = (directory) => JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))

/** Returns the files that run: the bundles without source maps, and the page. */
const filesOf = (app) => {
  const dist = join(root, 'apps', app, 'dist')
  return readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(dist, join(parentPath, name)))
    .filter((name) => /^((main|reader)(-[^/]*)?\.js|web\/.*)$/.test(name) && !name.endsWith('.map'))
    .map((name) => `apps/${app}/dist/${name}`)
}

const run = (cwd, file, ...args) => {
  const { status, stdout } = spawnSync(file, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${status}`)
  return stdout
}

/** Returns the license texts of all bundled packages, which their licenses ask to keep. */
const licenses = () => {
  const filters = bundled.map((app) => `--filter=@canopy/${app}`)
  const listed = Object.values(
    JSON.parse(run(root, process.execPath, pnpm, ...filters, 'licenses', 'list', '--prod', '--json')),
  )
  return listed
    .flat()
    .flatMap(({ name, license, paths }) => paths.map((path) => ({ name, license, path })))
    .filter(({ name }) => !name.startsWith('@canopy/'))
    .sort((one, other) => (one.path < other.path ? -1 : 1))
    .map(({ name, license, path }) => {
      const file = readdirSync(path).find((entry) => /^licen[sc]e/i.test(entry))
      const text = file === undefined ? '' : `\n${readFileSync(join(path, file), 'utf8').trim()}\n`
      return `${name} ${manifestIn(path).version}: ${license}\n${text}`
    })
    .join('\n----\n\n')
}

const staging = mkdtempSync(join(tmpdir(), 'canopy-pack-'))
try {
  const main = join('apps', apps[0])
  const bin = `${main}/bin/${name}.js`
  const { version, description } = manifestIn(join(root, main))
  const { license, engines } = manifestIn(root)
  const files = apps.flatMap((app) => [`apps/${app}/package.json`, ...filesOf(app)])
  for (const file of ['LICENSE', 'README.md', 'CHANGELOG.md', bin, ...files]) {
    mkdirSync(dirname(join(staging, file)), { recursive: true })
    cpSync(join(root, file), join(staging, file))
  }
  for (const app of apps)
    writeFileSync(join(staging, `apps/${app}/package.json`), JSON.stringify({ type: 'module', version }))
  writeFileSync(join(staging, 'THIRD-PARTY-LICENSES.txt'), licenses())
  const manifest = {
    name,
    version,
    description: isHarness ? description : manifestIn(root).description,
    license,
    type: 'module',
    engines,
    bin: { [name]: bin },
    dependencies: { [driver]: manifestIn(join(root, main, 'node_modules', driver)).version },
  }
  writeFileSync(join(staging, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  const [{ filename, size }] = JSON.parse(run(staging, 'npm', 'pack', '--json', '--pack-destination', folder))
  console.log(`${join(folder, filename)} (${(size / 1e6).toFixed(1)} MB)`)
} finally {
  rmSync(staging, { recursive: true })
}
