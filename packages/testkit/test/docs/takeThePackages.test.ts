import { readdirSync, readFileSync } from 'node:fs'
import { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { shown } from './visitorsNames.js'

const textAt = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

const document = textAt('../../../../docs/take-the-packages.md')

const byText = (x: string, y: string): number => (x < y ? -1 : 1)

const packages: ReadonlyArray<string> = readdirSync(new URL('../../../', import.meta.url)).sort(byText)

interface Manifest {
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly main: string
  readonly types: string
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>
}

const manifestOf = (name: string): Manifest => JSON.parse(textAt(`../../../${name}/package.json`)) as Manifest

const usedBy = (name: string): string =>
  Object.keys(manifestOf(name).dependencies ?? {})
    .flatMap((dependency) => (dependency.startsWith('@canopy/') ? [dependency.slice('@canopy/'.length)] : []))
    .join(', ')

describe('the page on taking the packages', () => {
  it('shows a program as it runs here, character for character, and what it gives', async () => {
    expect(document).toContain(`\`visitorsNames.ts\`\n\n\`\`\`ts\n${textAt('./visitorsNames.ts')}\`\`\`\n`)
    expect(await shown()).toEqual([E.right(['sea & sky.jpg']), E.left(Failure.permissionDenied)])
  })

  it('names what each package uses, and its version', () => {
    const rows = [...document.matchAll(/^\| `@canopy\/([a-z0-9-]+)` +\|.*\| ([a-z, -]*?) +\|$/gm)]
    expect(rows.length).toBe(8)
    expect(rows.map(([, name, uses]) => [name, uses?.trim()])).toEqual(
      rows.map(([, name = '']) => [name, usedBy(name)]),
    )
    for (const [, name = '', version] of document.matchAll(/canopy-([a-z0-9-]+)-([\d.]+)\.tgz/g))
      expect(version).toBe(manifestOf(name).version)
  })

  it('has a command that packs every package but the one that only apps use', () => {
    const [command] = /--filter .* pack /.exec(document) ?? []
    expect(command).toBe("--filter './packages/*' --filter '!@canopy/installation' pack ")
    const rows = [...document.matchAll(/^\| `@canopy\/([a-z0-9-]+)` /gm)].map(([, name = '']) => name)
    const packed = packages.filter((name) => name !== 'installation')
    expect(rows.sort(byText)).toEqual(packed)
    expect(packed.filter((name) => usedBy(name).includes('installation'))).toEqual([])
  })

  it('gives pnpm every package that another one uses', () => {
    const overridden = [...document.matchAll(/^ {6}"@canopy\/([a-z0-9-]+)": file:\/tmp\/canopy\/canopy-\1-/gm)]
    const used = packages.flatMap((name) => (name === 'installation' ? [] : usedBy(name).split(', ')))
    expect(overridden.map(([, name]) => name)).toEqual([...new Set(used)].filter((name) => name !== '').sort(byText))
  })

  it.each(['take-the-packages', 'client', 'write-an-adapter'])(
    'installs what the examples import in the version that they are tested with: %s',
    (page) => {
      const text = textAt(`../../../../docs/${page}.md`)
      const catalog = textAt('../../../../pnpm-workspace.yaml')
      const installed = [...text.matchAll(/ ((?:fp-ts|io-ts|vitest|typescript))@([\d.]+)/g)]
      for (const [, name = '', version = ''] of installed) expect(catalog).toContain(`\n  ${name}: ${version}\n`)
      const imported = [...text.matchAll(/from '((?:fp-ts|io-ts|vitest))/g)].map(([, name]) => name)
      expect(imported.length).toBeGreaterThan(0)
      expect(installed.map(([, name]) => name)).toEqual(expect.arrayContaining(imported))
    },
  )

  it.each(['domain', 'client', 'testkit', 'scheduling', 'storage-fs', 'registry'])(
    'takes a package as tools that know no exports do, and lets them read its manifest: %s',
    (name) => {
      const { exports, main, types } = manifestOf(name)
      expect(exports['./package.json']).toBe('./package.json')
      expect(exports['.']).toMatchObject({ types, default: main })
    },
  )

  it('lets the testkit bring the types of Node that its own types stand on', () => {
    expect(manifestOf('testkit').peerDependencies).toMatchObject({ '@types/node': '>=20' })
    expect(textAt('../../src/index.ts')).toContain('/// <reference types="node" preserve="true" />')
  })
})
