import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from './planted.js'

const pages = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]

const rowsOf = (page: string): ReadonlyArray<string> =>
  readFileSync(join(root, page), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('|'))

const cells = (row: string): number => row.split('|').length

describe('the tables of the pages', () => {
  it.each(pages)('have no backslash before the end of a cell, in %s: the row would be torn apart', (page) => {
    expect(rowsOf(page).filter((row) => /\\\s*\|/.test(row))).toEqual([])
  })

  it.each(pages)('have as many cells in a row as in the row above, in %s', (page) => {
    const lines = readFileSync(join(root, page), 'utf8').split('\n')
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
    const links = [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
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
    const readmes = readdirSync(join(root, 'packages'))
      .map((name) => join('packages', name, 'README.md'))
      .filter((file) => existsSync(join(root, file)))
    const installs = /\b(npm|npx|pnpm|yarn|bun)\b[^\n]* (i|install|add|dlx)\b[^\n]* @canopy\//
    expect(installs.test('npm i -D @canopy/domain')).toBe(true)
    const wrong = [...pages, ...readmes].filter((page) => installs.test(readFileSync(join(root, page), 'utf8')))
    expect(wrong).toEqual([])
  })
})
