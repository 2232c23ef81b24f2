import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { root } from './root.js'

it('the tarball of the harness verifies a foreign server in one line, without a checkout', async () => {
  const home = mkdtempSync(join(tmpdir(), 'canopy-kit-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  expect(spawnSync(process.execPath, [join(root, 'scripts/pack-app.mjs'), '--harness', home]).status).toBe(0)
  const env = { PATH: process.env['PATH'], HOME: home }
  const npx = (...words: ReadonlyArray<string>) =>
    spawnSync('npx', ['--yes', 'file:./canopy-harness-0.1.0.tgz', ...words], { cwd: home, env, encoding: 'utf8' })

  writeFileSync(join(home, 'fixture.json'), npx('fixture', '--describe').stdout)
  const server = join(root, 'apps/harness/test/independent/server.mjs')
  const child = spawn(process.execPath, [server, join(home, 'fixture.json')], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill())
  const [port] = await once(child.stdout, 'data')
  const said = npx('conformance', `http://127.0.0.1:${String(port).trim()}`, '--profile', 'core', 'paging')
  expect(said.stdout).toMatch(/\ncore +2\d\d passed, 2 not run\npaging +\d\d passed\n/)
  expect(said.status).toBe(0)
}, 300_000)
