import { existsSync, readFileSync } from 'node:fs'
import { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { shown } from './visitorsNames.js'

const textAt = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

const document = textAt('../../../../docs/take-the-packages.md')

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

  it('tells of each package what it uses, and its version', () => {
    const rows = [...document.matchAll(/^\| `@canopy\/([a-z-]+)` +\|.*\| ([a-z, -]*?) +\|$/gm)]
    expect(rows.length).toBe(6)
    expect(rows.map(([, name, uses]) => [name, uses?.trim()])).toEqual(
      rows.map(([, name = '']) => [name, usedBy(name)]),
    )
    for (const [, name = '', version] of document.matchAll(/canopy-(domain|client)-([\d.]+)\.tgz/g))
      expect(version).toBe(manifestOf(name).version)
  })

  it.each(['domain', 'client', 'testkit', 'storage-fs', 'registry', 'kept-listings', 'event-loop', 'files'])(
    'takes a package as tools that know no exports do, and lets them read its manifest: %s',
    (name) => {
      const { exports, main, types } = manifestOf(name)
      expect(exports['./package.json']).toBe('./package.json')
      expect(exports['.']).toMatchObject({ types, default: main })
    },
  )

  it('lets the testkit bring the types of Node that its own types stand on', () => {
    expect(manifestOf('testkit').peerDependencies).toEqual({ '@types/node': '>=20' })
    expect(textAt('../../src/index.ts')).toContain('/// <reference types="node" preserve="true" />')
  })

  it('links to what exists', () => {
    const links = [...document.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link ?? '')
    expect(links.filter((link) => !existsSync(new URL(`../../../../docs/${link}`, import.meta.url)))).toEqual([])
    expect(links.length).toBeGreaterThan(0)
  })
})
