// Lists the dependencies that Canopy ships: an SBOM in CycloneDX, and their licenses.
//   node scripts/sbom.mjs [FOLDER]     default: reports
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = resolve(process.argv[2] ?? 'reports')
mkdirSync(folder, { recursive: true })
const sbom = join(folder, 'sbom.cdx.json')

const pnpm = fileURLToPath(new URL('pnpm.mjs', import.meta.url))
const shipped = ['server', 'admin', 'explorer', 'client'].map((name) => `--filter=@canopy/${name}`)
const words = ['sbom', '--prod', '--sbom-format=cyclonedx', '--sbom-type=application', `--out=${sbom}`]
const { status } = spawnSync(process.execPath, [pnpm, ...shipped, ...words], { stdio: ['ignore', 'ignore', 'inherit'] })
if (status !== 0) process.exit(status ?? 1)

/** `MIT  koa 3.3.0` */
const lines = JSON.parse(readFileSync(sbom, 'utf8')).components.map(({ group, name, version, licenses = [] }) => {
  const license = licenses.map(({ expression, license }) => expression ?? license.id ?? license.name).join(' AND ')
  return `${license || 'none'}  ${group === undefined ? '' : `${group}/`}${name} ${version}`
})
lines.sort((one, other) => (one < other ? -1 : 1))
writeFileSync(join(folder, 'licenses.txt'), `${lines.join('\n')}\n`)
console.log(`${sbom}\n${join(folder, 'licenses.txt')}`)
