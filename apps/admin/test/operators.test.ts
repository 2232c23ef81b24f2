import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { again, bin, withAccount } from './canopyIn.js'

/** A pseudo-terminal, by util-linux. */
const script = spawnSync('script', ['--version']).status === 0

describe('a secret', () => {
  it('is read from standard input where the argument is -', async () => {
    const canopy = await withAccount()
    const { run, json, feed } = canopy
    const [token] = (await run('token', 'issue', '1')).stdout.split('\n')
    const typed = (words: string, text: string) =>
      again(canopy, {}, { stdin: Readable.from([Buffer.from(text)]) }).run(...words.split(' '))
    expect(await typed('token revoke -', `${token}\n`)).toMatchObject({ exit: 0 })
    expect(await json('token', 'list', '1')).toEqual([])
    expect(await typed('trigger create --type t --id -', 'secret-id\r\n')).toMatchObject({ exit: 0 })
    expect(await typed('trigger create --type t --id b --value -', '{\n"key": 1\n}\n')).toMatchObject({ exit: 0 })
    expect(await typed('trigger create --type t --id - --value -', 'x')).toMatchObject({ exit: 2 })
    expect(await json('trigger', 'list')).toMatchObject([{ id: 'b', value: { key: 1 } }, { id: 'secret-id' }])
    // Windows editors write a byte order mark.
    expect(await typed('trigger create --type t --id -', '\uFEFFmarked\r\n')).toMatchObject({ exit: 0 })
    expect(await feed('marked', 'trigger', 'delete', '-')).toMatchObject({ exit: 0 })
    expect(await feed('secret-id', 'trigger', 'delete', '-')).toMatchObject({ exit: 0 })
    expect(await json('trigger', 'list')).toMatchObject([{ id: 'b' }])
  })
})

describe('the progress of a walk', () => {
  it('counts the nodes, without control characters', async () => {
    const canopy = await withAccount()
    await canopy.run('account', 'update', '1', '--area', `${canopy.area}/\u202e`)
    for (const name of ['a', 'b', 'c']) await writeFile(join(canopy.area, '\u202e', name), '')
    const shown: Array<string> = []
    await again(canopy, {}, { showProgress: (text) => shown.push(text) }).run('doctor')
    expect(shown.at(-1)).toMatch(/\\u\{202e\}: 3 files and directories$/)
    expect(shown.join('')).not.toContain('\u202e')
  })

  it.runIf(script)('is shown on a terminal, and cleared', async () => {
    const { area, directory } = await withAccount()
    await mkdir(join(area, 'a'))
    const command = `'${process.execPath}' '${bin}' doctor`
    const terminal = spawnSync('script', ['-qec', command, '/dev/null'], { cwd: directory, encoding: 'utf8' }).stdout
    const [, checking, ...rest] = terminal.split('\r\u001b[K')
    expect(checking).toMatch(/^checking .*areas\/1: 0 files and directories$/)
    expect(rest.join('')).toMatch(/Nothing needs attention/)
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
    expect(doctor('--import', preload)).toMatch(/^(canopy: checking \/.*\/areas\/1: \d+ files and directories\n)+$/)
    expect(doctor()).toBe('')
  })
})

describe('Node', () => {
  it('20 is a note of doctor, later versions are not', async () => {
    const canopy = await withAccount()
    const onNode = (nodeVersion: string) => again(canopy, {}, { nodeVersion }).run('doctor')
    const { stdout, exit } = await onNode('20.20.2')
    expect(stdout).toContain(
      'note: Node 20.20.2: outdated Node: reached end of life on 30 April 2026: install Node 24\n',
    )
    expect(exit).toBe(0)
    for (const node of ['22.0.0', '24.0.0', '100.1.0']) expect((await onNode(node)).stdout).not.toContain('Node')
  })
})

it('the list of settings quotes paths, so that trailing spaces are visible', async () => {
  const { run } = await withAccount()
  for (const path of ['/x', '/x ', "/it's"]) await run('visibility', 'set', '1', path, 'hidden')
  const { stdout } = await run('visibility', 'list', '1')
  expect([...stdout.matchAll(/^hidden +(.*?) {2}/gm)].map(([, path]) => path)).toEqual([`'/it'\\''s'`, '/x', `'/x '`])
})
