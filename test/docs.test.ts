import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './root.js'

/** Every package that is packed for others: `installation` is for the apps alone. */
const packed = readdirSync(join(root, 'packages')).filter((name) => name !== 'installation')

const pages = [
  ...packed.map((name) => join('packages', name, 'README.md')),
  ...readdirSync(root, 'utf8').filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]

const textAt = (path: string): string => readFileSync(join(root, path), 'utf8')

/** As GitHub makes them of headings. */
const anchorsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )

it('links lead to existing files and headings', () => {
  const broken = pages.flatMap((page) => {
    const links = [...textAt(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    return links.filter((link) => {
      if (/^https?:/.test(link)) return false
      const [path = '', anchor] = link.split('#')
      const file = path === '' ? join(root, page) : join(root, dirname(page), path)
      return !existsSync(file) || (anchor !== undefined && !anchorsOf(readFileSync(file, 'utf8')).includes(anchor))
    })
  })
  expect(broken).toEqual([])
})

it.each(packed)('the README of %s begins with the example that its tests run', (name) => {
  const [, example] = /^```ts\n(.*?)^```$/ms.exec(textAt(`packages/${name}/README.md`)) ?? []
  expect(example).toBe(textAt(`packages/${name}/test/readme.ts`))
})

it('no page installs a package of ours from the public registry, whose scope is not ours', () => {
  const installs = /\b(npm|npx|pnpm|yarn|bun)\b[^\n]* (i|install|add|dlx)\b[^\n]* @canopy\//
  expect(pages.filter((page) => installs.test(textAt(page)))).toEqual([])
})
