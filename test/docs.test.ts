import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from './root.js'

const pages = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]

const textAt = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Every package that is packed for others: `installation` is for the apps alone. */
const packed = readdirSync(join(root, 'packages')).filter((name) => name !== 'installation')

const rowsOf = (page: string): ReadonlyArray<string> =>
  textAt(page)
    .split('\n')
    .filter((line) => line.startsWith('|'))

const cells = (row: string): number => row.split('|').length

describe('the tables of the pages', () => {
  it.each(pages)('have no backslash before the end of a cell, in %s: the row would be torn apart', (page) => {
    expect(rowsOf(page).filter((row) => /\\\s*\|/.test(row))).toEqual([])
  })

  it.each(pages)('have as many cells in a row as in the row above, in %s', (page) => {
    const lines = textAt(page).split('\n')
    const uneven = lines.filter((line, index) => {
      const above = lines[index - 1] ?? ''
      return line.startsWith('|') && above.startsWith('|') && cells(line) !== cells(above)
    })
    expect(uneven).toEqual([])
  })
})

/** As GitHub makes them of headings. */
const anchorsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )

describe('the links of the pages', () => {
  it.each(pages)('lead to files and headings that are there, in %s', (page) => {
    const links = [...textAt(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    const broken = links.filter((link) => {
      if (/^https?:/.test(link)) return false
      const [path = '', anchor] = link.split('#')
      const file = path === '' ? join(root, page) : join(root, dirname(page), path)
      return !existsSync(file) || (anchor !== undefined && !anchorsOf(readFileSync(file, 'utf8')).includes(anchor))
    })
    expect(broken).toEqual([])
  })
})

describe('the pages', () => {
  it('install no package of ours by its name: what the public registry has of that name is not ours', () => {
    const readmes = packed.map((name) => join('packages', name, 'README.md'))
    const installs = /\b(npm|npx|pnpm|yarn|bun)\b[^\n]* (i|install|add|dlx)\b[^\n]* @canopy\//
    expect(installs.test('npm i -D @canopy/domain')).toBe(true)
    const wrong = [...pages, ...readmes].filter((page) => installs.test(textAt(page)))
    expect(wrong).toEqual([])
  })
})

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
