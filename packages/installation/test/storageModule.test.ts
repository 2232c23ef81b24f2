import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, expect, it } from 'vitest'
import { moduleUrlIn, openStorageModule } from '../src/storageModule.js'

const folder = mkdtempSync(join(tmpdir(), 'canopy module-'))
afterAll(() => rmSync(folder, { recursive: true }))

const urlOf = (file: string): URL =>
  E.getOrElse((problem: string): URL => expect.fail(problem))(moduleUrlIn('/')(`module:${file}?name=value`))

const opened = async (file: string, source: string) => {
  writeFileSync(join(folder, file), source)
  return openStorageModule(urlOf(join(folder, file)))()
}

const refused = E.left(expect.stringMatching(/^(contains|must) ./))

it.each<readonly [string, E.Either<string, string>]>([
  ['module:/opt/a.js', E.right('module:/opt/a.js')],
  ['module:my adapter.js?name=value', E.right('module:/srv/my%20adapter.js?name=value')],
  ['module:../%C3%A9%25.js', E.right('module:/%C3%A9%25.js')],
  ...['module:', 'module:?a=b', 'module:a.js#b', 'module:a%.js', 'module:%ff.js', 'a module:b.js'].map(
    (text) => [text, refused] as const,
  ),
])('%s is the URL of a file, relative to the working directory: %o', (text, url) => {
  expect(E.map(String)(moduleUrlIn('/srv')(text))).toEqual(url)
})

const required = ['nodeAt', 'list', 'reachable', 'close']

it.each([
  ['plain', required],
  ['files', [...required, 'openFile']],
  ['areas', [...required, 'createArea']],
])('an instance of a class gets the URL, and keeps its methods and their `this`: %s', async (name, methods) => {
  const source = `
    class Storage {
      #url
      constructor(url) { this.#url = url }
      ${methods.map((method) => `${method}() { return this.#url }`).join('\n')}
    }
    export default async (url) => new Storage(url)`
  const storage = await opened(`${name}.mjs`, source)
  const called = E.map((methods: object) => Object.entries(methods).map(([method, call]) => [method, call()]))(storage)
  const { href } = urlOf(join(folder, `${name}.mjs`))
  expect(called).toEqual(E.right(methods.map((method) => [method, href])))
})

it.each([
  ['number.mjs', 'export default 7', 'its default export is not a function'],
  ['named.mjs', 'export const open = () => undefined', 'its default export is not a function'],
  [
    'empty.mjs',
    'export default async () => undefined',
    'the storage it returns does not implement nodeAt, list, reachable, close',
  ],
  [
    'partial.mjs',
    'export default () => ({ nodeAt() {}, list: 1 })',
    'the storage it returns does not implement list, reachable, close',
  ],
  ['failing.mjs', 'export default async () => { throw new Error("no such bucket") }', 'no such bucket'],
  ['broken.mjs', 'throw new Error("no licence")', 'no licence'],
])('%s is refused: %s', async (file, source, reason) => {
  const problem = `the storage module ${join(folder, file)} cannot be used: ${reason}`
  expect(await opened(file, source)).toEqual(E.left(problem))
})
