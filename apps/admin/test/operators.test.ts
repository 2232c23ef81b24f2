import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { again, bin, withAccount } from './canopyIn.js'

/** A pseudo-terminal, by util-linux. */
const script = spawnSync('script', ['--version']).status === 0

it('a secret is read from standard input where the argument is -', async () => {
  const canopy = await withAccount()
  const { run, json, feed } = canopy
  const [token] = (await run('token', 'issue', '1')).stdout.split('\n')
  for (const [words, typed, exit] of [
    ['token revoke -', `${token}\n`, 0],
    ['trigger create --type t --id -', 'secret-id\r\n', 0],
    ['trigger create --type t --id b --value -', '{\n"key": 1\n}\n', 0],
    ['trigger create --type t --id - --value -', 'x', 2],
    // Windows editors write a byte order mark.
    ['trigger create --type t --id -', '\uFEFFmarked\r\n', 0],
  ] as const) {
    const { run: runWith } = again(canopy, {}, { stdin: Readable.from([Buffer.from(typed)]) })
    expect([words, (await runWith(...words.split(' '))).exit]).toEqual([words, exit])
  }
  expect(await json('token', 'list', '1')).toEqual([])
  const triggers = [{ id: 'b', value: { key: 1 } }, { id: 'marked' }, { id: 'secret-id' }]
  expect(await json('trigger', 'list')).toMatchObject(triggers)
  expect(await feed('secret-id', 'trigger', 'delete', '-')).toMatchObject({ exit: 0 })
  expect(await json('trigger', 'list')).toMatchObject(triggers.slice(0, 2))
})

describe('the progress of a walk', () => {
  it('counts the nodes, without control characters', async () => {
    const canopy = await withAccount()
    await canopy.run('account', 'update', '1', '--area', `${canopy.area}/\u202e`)
    for (const name of ['a', 'b', 'c']) await writeFile(join(canopy.area, '\u202e', name), '')
    const shown: Array<string> = []
    await again(canopy, {}, { showProgress: (text) => shown.push(text) }).run('doctor')
    expect(shown.at(-1)).toMatch(/\\u\{202e\}: 3 items$/)
    expect(shown.join('')).not.toContain('\u202e')
  })

  it.runIf(script)('is shown on a terminal, and cleared', async () => {
    const { area, directory } = await withAccount()
    await mkdir(join(area, 'a'))
    const command = `'${process.execPath}' '${bin}' doctor`
    const terminal = spawnSync('script', ['-qec', command, '/dev/null'], { cwd: directory, encoding: 'utf8' }).stdout
    const [, checking, ...rest] = terminal.split('\r\u001b[K')
    expect(checking).toMatch(/^checking .*areas\/1: 0 items$/)
    expect(rest.join('')).toMatch(/No findings/)
  })

  it('is logged every ten seconds without a terminal', async () => {
    const { directory } = await withAccount()
    // A faster clock.
    const preload = join(directory, 'fast.mjs')
    await writeFile(
      preload,
      'const { setInterval: real } = globalThis; globalThis.setInterval = (f, ms) => real(f, ms / 10_000)',
    )
    const doctor = (...first: ReadonlyArray<string>) =>
      spawnSync(process.execPath, [...first, bin, 'doctor'], { cwd: directory, encoding: 'utf8' }).stderr
    await mkdir(join(directory, 'data/areas/1/a'))
    for (let n = 0; n < 500; n += 1) await writeFile(join(directory, 'data/areas/1/a', `${n}`), '')
    expect(doctor('--import', preload)).toMatch(/^(canopy: checking \/.*\/areas\/1: \d+ items?\n)+$/)
    expect(doctor()).toBe('')
  })
})

it('doctor notes Node 20, and no later version', async () => {
  const canopy = await withAccount()
  const onNode = (nodeVersion: string) => again(canopy, {}, { nodeVersion }).run('doctor')
  const note = 'note: Node 20.20.2: outdated Node: this version reached end of life on 30 April 2026: install Node 24\n'
  expect(await onNode('20.20.2')).toMatchObject({ stdout: expect.stringContaining(note), exit: 0 })
  for (const node of ['22.0.0', '100.1.0']) expect((await onNode(node)).stdout).not.toContain('Node')
})

it('the list of settings quotes paths, so that trailing spaces are visible', async () => {
  const { run } = await withAccount()
  for (const path of ['/x', '/x ', "/it's"]) await run('visibility', 'set', '1', path, 'hidden')
  const { stdout } = await run('visibility', 'list', '1')
  expect([...stdout.matchAll(/^hidden +(.*?) {2}/gm)].map(([, path]) => path)).toEqual([`'/it'\\''s'`, '/x', `'/x '`])
})
