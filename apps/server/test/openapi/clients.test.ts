import { execFile, spawnSync } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { consumers, dir, file, temporaryDirectory, worldWith } from '@canopy/test-support'
import { memoryPorts } from '@canopy/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { serviceOfFile } from '../inProcess.js'

const docs = fileURLToPath(new URL('../../../../docs', import.meta.url))

const items = [
  file('100% #1 a b', 18446744073709551615n),
  file('50 %+?', 9007199254740993n),
  file('c d'),
  file('é 日本'),
]
const world = worldWith([dir('photos', dir('50% off #1', dir('Übersicht 日本', ...items)), file('sea.jpg'))])

const expected = items.map(
  ({ name, size }) =>
    `{"visibility":{"inherited":true,"visibility":"public"},"is_file":true,"name":"${name}","last_modified":1,"size":${size}}`,
)

type Program = readonly [language: string, command: string, ...args: ReadonlyArray<string>]

const ifInstalled = (program: string, option: string, ...programs: ReadonlyArray<Program>): ReadonlyArray<Program> => {
  if (spawnSync(program, [option]).status === 0) return programs
  console.warn(`Not tested without ${program}: ${programs.map(([language]) => language).join()}`)
  return []
}
const go = ifInstalled('go', 'version', ['Go', 'go', 'run'])
const inGo = (name: string) => go.map((program): Program => [...program, name])

const service = serviceOfFile(memoryPorts(world))
const home = temporaryDirectory(afterAll)

const run = async (command: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const env = { ...process.env, PATH: `${join(consumers(), 'node_modules/.bin')}:${process.env['PATH']}` }
  const { stdout } = await promisify(execFile)(command, args, { cwd: home, env })
  return stdout
}
const itemsOf = async (...words: Parameters<typeof run>) => (await run(...words)).match(/\{"visibility".*?\d\}/g)

// Each generator is downloaded.
beforeAll(async () => {
  const textOf = async (path: string) =>
    (await readFile(join(docs, path), 'utf8')).replaceAll('localhost:8080', `127.0.0.1:${service.port}`)
  for (const name of await readdir(join(docs, 'clients')))
    await writeFile(join(home, name), await textOf(join('clients', name)))
  for (const [, command = ''] of (await textOf('clients.md')).matchAll(/^ {4}((?:npx|npm install) .*)$/gm))
    await run('sh', '-c', command.replace('npx', 'npx --yes'))
}, 600_000)

it('the programs of the page on clients type-check with generated clients', async () => {
  const compilerOptions = {
    module: 'ESNext',
    moduleResolution: 'Bundler',
    target: 'ES2022',
    strict: true,
    noEmit: true,
    lib: ['ES2022', 'DOM', 'DOM.Iterable'],
    types: [],
  }
  await writeFile(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  expect(await run(join(docs, '../node_modules/.bin/tsc')).catch(({ stdout }) => stdout)).toBe('')
})

it.each(['openapiFetch', 'heyApi', 'orval', 'swagger'])('generated clients list names and sizes: %s', async (name) => {
  await run('esbuild', `${name}.ts`, '--bundle', '--format=esm', `--outfile=${name}.mjs`, '--log-level=error')
  expect(await itemsOf(process.execPath, `${name}.mjs`)).toEqual(expected)
})

it.each<Program>([['curl', 'sh', 'items.sh'], ['Python', 'python3', 'items.py'], ...inGo('items.go')])(
  'names and sizes are listed by %s',
  async (_, command, ...args) => {
    expect(await itemsOf(command, ...args)).toEqual(expected)
  },
)

it.each<Program>([
  ...ifInstalled('jq', '--version', ['curl and jq', 'sh', 'walk.sh']),
  ['Python', 'python3', 'walk.py'],
  ...inGo('walk.go'),
])('a tree is walked by %s', async (_, command, ...args) => {
  expect(await run(command, ...args)).toBe('/photos/sea.jpg\n')
})
