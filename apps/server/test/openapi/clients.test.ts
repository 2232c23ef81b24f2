import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { consumers, dir, file, worldWith } from '@canopy/test-support'
import { memoryPorts } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../../src/http/listen.js'
import { startApp } from '../startApp.js'

const root = fileURLToPath(new URL('../../../..', import.meta.url))

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

const hasGo = spawnSync('go', ['version']).status === 0
if (!hasGo) console.warn('The clients in Go are not tested: apt-get install golang-go')
const hasJq = spawnSync('jq', ['--version']).status === 0
if (!hasJq) console.warn('The walk by curl and jq is not tested: apt-get install jq')
const others: ReadonlyArray<readonly [language: string, command: string, ...args: ReadonlyArray<string>]> = [
  ['curl', 'sh', 'items.sh'],
  ['Python', 'python3', 'items.py'],
  ...(hasGo ? [['Go', 'go', 'run', 'items.go'] as const] : []),
]

/** The programs that print the paths of a tree. */
const walkers: ReadonlyArray<readonly [language: string, command: string, ...args: ReadonlyArray<string>]> = [
  ...(hasJq ? [['curl and jq', 'sh', 'walk.sh'] as const] : []),
  ['Python', 'python3', 'walk.py'],
  ...(hasGo ? [['Go', 'go', 'run', 'walk.go'] as const] : []),
]

describe('the page on clients', () => {
  let service: RunningServer
  let page = ''
  let home = ''

  const run = async (command: string, ...args: ReadonlyArray<string>): Promise<string> => {
    const env = { ...process.env, PATH: `${join(consumers(), 'node_modules/.bin')}:${process.env['PATH']}` }
    const { stdout } = await promisify(execFile)(command, args, { cwd: home, env })
    return stdout
  }
  const itemsOf = async (...words: Parameters<typeof run>) => (await run(...words)).match(/\{"visibility".*?\d\}/g)

  beforeAll(async () => {
    service = await startApp(memoryPorts(world))
    home = await mkdtemp(join(tmpdir(), 'canopy-clients-'))
    await symlink(join(consumers(), 'node_modules'), join(home, 'node_modules'))
    const text = await readFile(join(root, 'docs/clients.md'), 'utf8')
    const here = (program: string) => program.replaceAll('localhost:8080', `127.0.0.1:${service.port}`)
    page = here(text)
    for (const name of await readdir(join(root, 'docs/clients')))
      await writeFile(join(home, name), here(await readFile(join(root, 'docs/clients', name), 'utf8')))
    for (const [, command = ''] of page.matchAll(/^ {4}npx (.*)$/gm))
      await run('sh', '-c', command.replace(/^(--package=\S+ )+|^(?:@hey-api\/)?([\w-]+)@\S+/, '$2'))
  })
  afterAll(async () => {
    await service.stop()
    await rm(home, { recursive: true })
  })

  it('links every program', async () => {
    for (const name of await readdir(join(root, 'docs/clients'))) expect(page).toContain(`(clients/${name})`)
  })

  it('names the versions that are tested', async () => {
    const { dependencies } = JSON.parse(await readFile(join(consumers(), 'package.json'), 'utf8'))
    const commands = page.match(/^ {4}(?:npx|npm install) .*$/gm) ?? []
    const named = [...commands.join('\n').matchAll(/(?<=[ =])(?!typescript)(@?[\w/-]+)@(\d[\d.]*)/g)]
    expect(named.length).toBe(5)
    expect(Object.fromEntries(named.map(([, name, version]) => [name, version]))).toEqual(
      Object.fromEntries(named.map(([, name = '']) => [name, dependencies[name]])),
    )
  })

  it('has programs that type-check with generated clients', async () => {
    const compilerOptions = {
      module: 'ESNext',
      moduleResolution: 'Bundler',
      target: 'ES2022',
      strict: true,
      noEmit: true,
    }
    const config = { compilerOptions: { ...compilerOptions, lib: ['ES2022', 'DOM', 'DOM.Iterable'], types: [] } }
    await writeFile(join(home, 'tsconfig.json'), JSON.stringify({ ...config, include: ['*.ts'] }))
    expect(await run(join(root, 'node_modules/.bin/tsc')).catch(({ stdout }) => stdout)).toBe('')
  })

  it.each(['openapiFetch', 'heyApi', 'orval', 'swagger'])(
    'lists odd names and exact sizes, page by page: %s',
    async (name) => {
      await run('esbuild', `${name}.ts`, '--bundle', '--format=esm', `--outfile=${name}.mjs`, '--log-level=error')
      expect(await itemsOf(process.execPath, `${name}.mjs`)).toEqual(expected)
    },
  )

  it.each(walkers)('walks a tree by %s', async (_, command, ...args) => {
    expect(await run(command, ...args)).toBe('/photos/sea.jpg\n')
  })

  it.each(others)('lists the same by %s', async (_, command, ...args) => {
    expect(await itemsOf(command, ...args)).toEqual(expected)
  })
})
