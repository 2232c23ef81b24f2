import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withAccount, withFiles } from './canopyIn.js'

const noSecrets = { secrets: [], searchedAll: true }

describe('canopy rule', () => {
  it('adds, lists, replaces and removes rules', async () => {
    const { json, run } = await withAccount()
    expect((await run('rule', 'list', '1')).stdout).toBe('Account 1 has no rules.\n')
    const added = { pattern: '.*', visibility: 'hidden', added: true, lost: [], ...noSecrets }
    expect(await json('rule', 'add', '1', '.*', 'hidden')).toEqual(added)
    await run('rule', 'add', '1', '*.key', 'private')
    await run('rule', 'add', '1', '.*', 'private')
    expect(await json('rule', 'list', '1')).toEqual([
      { pattern: '*.key', visibility: 'private' },
      { pattern: '.*', visibility: 'private' },
    ])
    expect((await run('rule', 'list', '1')).stdout).toBe("VISIBILITY  PATTERN\nprivate     '*.key'\nprivate     '.*'\n")
    expect(await json('rule', 'remove', '1', '*.key')).toEqual({ pattern: '*.key', ...noSecrets })
    expect(await json('rule', 'list', '1')).toEqual([{ pattern: '.*', visibility: 'private' }])
  })

  it('names the topmost nodes that a rule removes for visitors', async () => {
    const { run, json } = await withFiles('.git/config', 'photos/.DS_Store', 'photos/a.jpg', '.env')
    const words = ['rule', 'add', '1', '.*', 'hidden']
    expect(await run(...words, '--dry-run')).toEqual({
      stdout:
        "Would add rule '.*' (hidden).\n" +
        'Visitors would no longer see 3 items, or anything below that inherits its visibility:\n' +
        '  /.env\n  /.git\n  /photos/.DS_Store\n',
      stderr: '',
      exit: 0,
    })
    expect(await json('rule', 'list', '1')).toEqual([])
    const lost = /^Added rule '\.\*' \(hidden\)\.\nVisitors no longer see 3 items,/
    expect((await run(...words)).stdout).toMatch(lost)
    expect((await run(...words)).stdout).toBe("Added rule '.*' (hidden).\nNothing changes for visitors right now.\n")
  })

  it('warns of secrets that a change of rules opens to visitors', async () => {
    const { run, json } = await withFiles('backup/app/.env', 'backup/a.txt')
    const opened = { secrets: [expect.objectContaining({ path: '/backup/app/.env', listed: true })] }
    await run('rule', 'add', '1', 'backup', 'private')
    expect(await json('rule', 'add', '1', 'backup', 'hidden')).toMatchObject({ lost: [], ...opened })
    await run('rule', 'add', '1', '.env', 'hidden')
    expect(await json('rule', 'remove', '1', 'backup')).toMatchObject({ secrets: [] })
    const { stdout } = await run('rule', 'remove', '1', '.env')
    expect(stdout).toMatch(/^Removed rule \.env\.\nWarning: \/backup\/app\/\.env: visitors can see it, /)
  })

  it('reports an incomplete search, and shows ten paths at most', async () => {
    const canopy = await withFiles()
    const names = Array.from({ length: 10_100 }, (_, n) => `${n}`.padStart(5, '0'))
    for (const name of names) await writeFile(join(canopy.directory, 'data/areas/1', name), '')
    const { stdout } = await canopy.run('rule', 'add', '1', '000*', 'private')
    expect(stdout).toMatch(
      /see 100 items.*\n( {2}\/0000\d\n){10} {2}and 90 more\nThe search for exposed secrets did not cover/,
    )
  })

  it('fails with its own errors, with --dry-run too', async () => {
    const { json, run } = await withAccount()
    const errorOf = async (...words: ReadonlyArray<string>) =>
      ((await json('rule', ...words)) as { readonly error: string }).error
    const errorsOf = async (...words: ReadonlyArray<string>) =>
      new Set([await errorOf('add', ...words), await errorOf('add', ...words, '--dry-run')])
    expect(await errorOf('remove', '1', '.*')).toBe('no such rule')
    expect(await errorsOf('9', '.*', 'hidden')).toEqual(new Set(['no such account']))
    for (const wrong of ['a/b hidden', ' hidden', 'a public'])
      expect(await errorsOf('1', ...wrong.split(' '))).toEqual(new Set(['invalid usage']))
    for (let n = 0; n < 8; n += 1) await run('rule', 'add', '1', `${n}`.repeat(255), 'hidden')
    expect(await errorsOf('1', 'x'.repeat(9), 'hidden')).toEqual(new Set(['too many rules']))
  })
})

it('canopy visibility explain names the rule that decides, on the path itself and above it', async () => {
  const { json, run } = await withFiles('.git/config')
  await run('rule', 'add', '1', '.*', 'private')
  expect(await json('visibility', 'explain', '1', '/.git/config')).toMatchObject({
    visibility: 'private',
    inherited: true,
    decidedBy: '/.git',
    chain: [
      { path: '/.git/config', visibility: null, rule: null },
      { path: '/.git', visibility: null, rule: { pattern: '.*', visibility: 'private' } },
      { path: '/', visibility: 'public', rule: null },
    ],
  })
  expect((await run('visibility', 'explain', '1', '/.git/config')).stdout).toMatch(
    /^\/\.git\/config is private: it inherits from \/\.git, whose name matches rule '\.\*' \(private\)\.\n/,
  )
  const { stdout } = await run('visibility', 'explain', '1', '/.git')
  expect(stdout).toMatch(/^\/\.git is private: its name matches rule '\.\*' \(private\)\.\n/)
  expect(stdout).toMatch(/^ {2}\/\.git +rule '\.\*' \(private\) +<- this one applies$/m)
})
