import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { buildIfStale } from '../scripts/build.mjs'
import { root as checkout } from './root.js'
import { temporaryDirectory } from './support/src/temporaryDirectory.js'

/** A built repository of three packages. `before` prepares a run like vitest, and returns whether it has built. */
const built = () => {
  const root = temporaryDirectory(onTestFinished)
  const write = (path: string, text = '') => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const remove = (path: string) => rmSync(join(root, path), { recursive: true })
  write('turbo.json', '{"globalDependencies":["tsconfig.base.json"]}')
  const packages = ['apps/a', 'packages/b', 'test/support']
  for (const path of ['tsconfig.base.json', 'apps/a/src/a.ts', 'packages/b/src/docs/b.ts', 'test/support/src/c.ts'])
    write(path)
  for (const name of packages) write(`${name}/package.json`)
  mkdirSync(join(root, 'node_modules'))
  let builds = 0
  const before = (status = 0) => {
    const count = builds
    buildIfStale(root, () => {
      builds += 1
      for (const name of packages) write(`${name}/dist/built.js`)
      return status
    })
    return builds > count
  }
  expect(before()).toBe(true)
  return { root, write, remove, before }
}

it.each<readonly [string, boolean, (repository: ReturnType<typeof built>) => void]>([
  ['a source was edited', true, ({ write }) => write('packages/b/src/docs/b.ts', 'edited')],
  ['a source was added', true, ({ write }) => write('apps/a/src/new.ts')],
  ['a source was removed', true, ({ remove }) => remove('test/support/src/c.ts')],
  ['the compiler has other options', true, ({ write }) => write('tsconfig.base.json', '{}')],
  ['a build was removed', true, ({ remove }) => remove('apps/a/dist')],
  ['the directory of a former package is left', false, ({ write }) => write('apps/former/src/a.ts')],
  ['a test was edited', false, ({ write }) => write('packages/b/test/b.test.ts', 'edited')],
])('where %s, a run builds: %s', (_, expected, change) => {
  const repository = built()
  change(repository)
  expect(repository.before()).toBe(expected)
  expect(repository.before()).toBe(false)
})

it('a failed build fails the run, and the next one too', () => {
  const { write, before } = built()
  write('apps/a/src/a.ts', 'wrong')
  for (const _ of [1, 2]) expect(() => before(1)).toThrow('the build failed')
  expect(before()).toBe(true)
})

it('a failed setup leaves no bundle of older sources', () => {
  const { root, write } = built()
  for (const name of ['setup.mjs', 'build.mjs']) cpSync(join(checkout, 'scripts', name), join(root, 'scripts', name))
  // Fails like an installation without a network.
  write('scripts/pnpm.mjs', 'process.exit(7)')
  write('apps/a/bundle.mjs')
  write('apps/a/dist/main.js', 'old')
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/setup.mjs')])
  expect([status, existsSync(join(root, 'apps/a/dist/main.js'))]).toEqual([7, false])
})
