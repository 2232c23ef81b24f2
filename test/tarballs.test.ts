import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { root } from './root.js'
import { freePort } from './support/src/freePort.js'
import { temporaryDirectory } from './support/src/temporaryDirectory.js'

describe('the tarball of the app', () => {
  const home = temporaryDirectory(afterAll)
  const folder = join(home, 'photos')
  const bin = join(home, 'installed/bin/canopy')
  // An ordinary user, if this runs as root.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const options = { cwd: home, env: { HOME: join(home, 'home'), PATH: process.env['PATH'] }, ...user }
  const canopy = (...words: ReadonlyArray<string>) => {
    const { status, stdout, stderr } = spawnSync(bin, words, { ...options, encoding: 'utf8' })
    return { status, text: stdout + stderr }
  }

  const run = (file: string, ...words: ReadonlyArray<string>): void => {
    const { status, stderr } = spawnSync(file, words, { cwd: home, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${file} ended with ${status}: ${stderr}`)
  }

  beforeAll(() => {
    for (const name of ['', 'home', 'photos']) {
      mkdirSync(join(home, name), { recursive: true })
      chmodSync(join(home, name), 0o777)
    }
    writeFileSync(join(folder, 'beach.jpg'), 'sand')
    run(process.execPath, join(root, 'scripts/pack-app.mjs'), home)
    run('npm', 'install', '--global', `--prefix=${join(home, 'installed')}`, join(home, tarball()))
  })

  const tarball = () => readdirSync(home).find((name) => /^canopy-.*\.tgz$/.test(name)) ?? 'none'

  it('has at most 8 MB and one dependency', () => {
    expect(statSync(join(home, tarball())).size).toBeLessThan(8_000_000)
    const manifest = readFileSync(join(home, 'installed/lib/node_modules/canopy/package.json'), 'utf8')
    expect(Object.keys(JSON.parse(manifest).dependencies)).toEqual(['@photostructure/sqlite'])
  })

  it('contains the license of every package that it bundles', () => {
    const licenses = readFileSync(join(home, 'installed/lib/node_modules/canopy/THIRD-PARTY-LICENSES.txt'), 'utf8')
    for (const name of ['koa', 'fp-ts', 'preact', 'commander', 'pino'])
      expect(licenses).toMatch(RegExp(`^${name} [\\d.]+: MIT`, 'm'))
  })

  it('runs the commands', () => {
    expect(canopy('demo')).toMatchObject({ status: 0 })
    expect(canopy('doctor').text).toContain('Checked 1 account')
  })

  it('shows a folder, its files and the page', async () => {
    const serve = spawn(bin, ['serve', folder], options)
    onTestFinished(() => void serve.kill())
    let text = ''
    serve.stdout.on('data', (chunk) => (text += chunk))
    await expect.poll(() => text).toContain('Ctrl-C')
    const [page = ''] = /^http\S+/.exec(text) ?? []
    expect(await fetch(page).then((response) => response.text())).toContain('<!doctype html>')
    const listing = await fetch(new URL('/api/usercontent/v1/diritems/id/1', page))
    expect(await listing.json()).toMatchObject({ content: [{ name: 'beach.jpg' }] })
    expect(await fetch(new URL('/files/id/1/beach.jpg', page)).then((file) => file.text())).toBe('sand')
    serve.kill('SIGTERM')
    expect(await once(serve, 'exit')).toEqual([0, null])
  })

  it('serves an object store and PostgreSQL with its own drivers', async () => {
    const variables = {
      CANOPY_PORT: `${await freePort()}`,
      CANOPY_STORAGE: 's3://bucket/prefix?endpoint=http://127.0.0.1:1',
      CANOPY_REGISTRY: 'postgres://canopy@127.0.0.1:1/canopy',
      AWS_ACCESS_KEY_ID: 'none',
      AWS_SECRET_ACCESS_KEY: 'none',
    }
    const server = join(home, 'installed/lib/node_modules/canopy/apps/server/dist/main.js')
    const env = { ...options.env, ...variables }
    const check = spawnSync(process.execPath, [server, '--check'], { ...options, env, encoding: 'utf8' })
    expect(check.stdout + check.stderr).toContain('ECONNREFUSED')
    expect(check.stdout + check.stderr).not.toMatch(/Cannot find|ERR_MODULE/)
  })
})

it('the tarball of the harness verifies a foreign server in one line, without a checkout', async () => {
  const home = temporaryDirectory(onTestFinished)
  expect(spawnSync(process.execPath, [join(root, 'scripts/pack-app.mjs'), '--harness', home]).status).toBe(0)
  const env = { PATH: process.env['PATH'], HOME: home }
  const npx = (...words: ReadonlyArray<string>) =>
    spawnSync('npx', ['--yes', 'file:./canopy-harness-0.1.0.tgz', ...words], { cwd: home, env, encoding: 'utf8' })

  writeFileSync(join(home, 'fixture.json'), npx('fixture', '--describe').stdout)
  const server = join(root, 'apps/harness/test/independent/server.mjs')
  const child = spawn(process.execPath, [server, join(home, 'fixture.json')], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill())
  const [port] = await once(child.stdout, 'data')
  const url = `http://127.0.0.1:${String(port).trim()}`
  const said = npx('conformance', url, '--profile', 'core', 'paging')
  expect(said.stdout).toMatch(/\ncore +2\d\d passed, 2 not run\npaging +\d\d passed\n/)
  expect(said.status).toBe(0)
  expect(npx('conformance', url, '--profile', 'rules').status).toBe(1)
}, 300_000)
