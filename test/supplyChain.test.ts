import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from './root.js'
import { temporaryDirectory } from './support/src/temporaryDirectory.js'

interface Sbom {
  readonly components: ReadonlyArray<{ readonly group?: string; readonly name: string; readonly purl: string }>
  readonly dependencies: ReadonlyArray<{ readonly ref: string; readonly dependsOn?: ReadonlyArray<string> }>
}

const read = (...path: ReadonlyArray<string>): string => readFileSync(join(...path), 'utf8')
const schemas = join(root, 'node_modules/@cyclonedx/cyclonedx-library/res/schema')

/** Licenses that only require attribution. */
const allowed = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT']

describe('the bill of materials', { timeout: 60_000 }, () => {
  const folder = temporaryDirectory(afterAll)
  let sbom: Sbom
  beforeAll(() => {
    execFileSync(process.execPath, [join(root, 'scripts/sbom.mjs'), folder])
    sbom = JSON.parse(read(folder, 'sbom.cdx.json'))
  }, 60_000)

  const names = (): ReadonlyArray<string> =>
    sbom.components.map(({ group, name }) => (group === undefined ? name : `${group}/${name}`))

  it('satisfies the schema of CycloneDX', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false })
    for (const file of readdirSync(schemas).filter((name) => /^(?!bom).*\.json$/.test(name)))
      ajv.addSchema(JSON.parse(read(schemas, file)), `http://cyclonedx.org/schema/${file}`)
    const validate = ajv.compile(JSON.parse(read(schemas, 'bom-1.7.SNAPSHOT.schema.json')))
    expect([validate(sbom), validate.errors]).toEqual([true, null])
  })

  it('has the dependencies of programs and page, and no tools', () => {
    for (const room of ['apps/server', 'apps/admin', 'apps/explorer', 'packages/client']) {
      const { dependencies = {} } = JSON.parse(read(root, room, 'package.json'))
      expect(names()).toEqual(expect.arrayContaining(Object.keys(dependencies)))
    }
    for (const tool of ['vitest', 'vite', 'typescript', 'turbo']) expect(names()).not.toContain(tool)
    const known = new Set(sbom.components.map(({ purl }) => purl))
    const unknown = sbom.dependencies.flatMap(({ dependsOn = [] }) => dependsOn).filter((ref) => !known.has(ref))
    expect(unknown).toEqual([])
  })

  it('has only components with an allowed license', () => {
    const lines = read(folder, 'licenses.txt').trimEnd().split('\n')
    expect(lines).toHaveLength(sbom.components.length)
    expect(lines.filter((line) => !allowed.includes(line.split('  ')[0] ?? ''))).toEqual([])
  })
})

it('pnpm runs no scripts of dependencies, and installs no version of the last two days', () => {
  const settings = execFileSync(process.execPath, [join(root, 'scripts/pnpm.mjs'), 'config', 'list'], {
    encoding: 'utf8',
  })
  expect(JSON.parse(settings)).toMatchObject({
    allowBuilds: { '@photostructure/sqlite': false, '@scarf/scarf': false },
    strictDepBuilds: true,
    minimumReleaseAge: 2880,
    minimumReleaseAgeStrict: true,
    blockExoticSubdeps: true,
  })
}, 60_000)
