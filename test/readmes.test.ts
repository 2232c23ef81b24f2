import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from './planted.js'

const textAt = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Every package that is packed for others: `installation` is for the apps alone. */
const packed = readdirSync(join(root, 'packages')).filter((name) => name !== 'installation')

/** The example of a README, as it is tested in its package. */
const exampleOf = (name: string): string => textAt(`packages/${name}/test/readme.ts`)

const enginesIn = (manifest: string): unknown =>
  (JSON.parse(textAt(manifest)) as { readonly engines?: unknown }).engines

describe.each(packed)('the tarball of %s', (name) => {
  it('has a README that names it, and shows an example as it is tested, character for character', () => {
    const readme = textAt(`packages/${name}/README.md`)
    expect(readme.startsWith(`# @canopy/${name}\n`)).toBe(true)
    expect([...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code)).toEqual([exampleOf(name)])
  })

  it('has a README that leads nowhere out of it', () => {
    expect(textAt(`packages/${name}/README.md`)).not.toMatch(/\]\(/)
  })

  it('says for which Node it is: the same as everything else here', () => {
    expect(enginesIn(`packages/${name}/package.json`)).toEqual(enginesIn('package.json'))
  })
})
