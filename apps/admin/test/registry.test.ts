import { spawn, spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { postgresIsTested, startPostgres } from '@canopy/test-support'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { again, attended, bin, type Canopy, freshCanopy } from './canopyIn.js'

const { Client } = createRequire(import.meta.resolve('@canopy/registry'))('pg')

const filled = async (): Promise<Canopy> => {
  const canopy = await freshCanopy()
  await canopy.run('account', 'create', '--id', '7', '--name', 'Photos')
  return canopy
}

const names = async (canopy: Canopy) =>
  ((await canopy.json('account', 'list')) as ReadonlyArray<{ name: string }>).map(({ name }) => name)

describe('canopy registry copy', () => {
  it('creates a backup in one file that only its owner can read', async () => {
    const canopy = await filled()
    for (const path of ['/a', '/b', '/c']) await canopy.run('visibility', 'set', '7', path, 'public')
    const place = join(canopy.directory, 'backups')
    await mkdir(place)
    // No progress without a terminal.
    expect(await canopy.spawn('registry', 'copy', '--to', 'sqlite:backups/one')).toEqual({
      stdout: `Copied 1 account, 0 tokens, 3 settings, 0 rules, 0 triggers to sqlite:${place}/one and verified the copy.\n`,
      stderr: '',
      exit: 0,
    })
    expect(await readdir(place)).toEqual(['one'])
    expect((await stat(join(place, 'one'))).mode & 0o777).toBe(0o600)
  })

  it('refuses to copy a registry onto itself, by any path', async () => {
    const canopy = await filled()
    const { directory } = canopy
    const file = join(directory, 'data/registry.sqlite')
    await symlink(file, join(directory, 'link'))
    await symlink('data', join(directory, 'folder'))
    await mkdir(join(directory, 'mount'))
    const others = ['data/registry.sqlite', file, 'data/../data/registry.sqlite', 'link', 'folder/registry.sqlite']
    // Not every user may mount.
    const isMounted = spawnSync('mount', ['--bind', 'data', 'mount'], { cwd: directory }).status === 0
    const answers = []
    for (const to of [...others, ...(isMounted ? ['mount/registry.sqlite'] : [])])
      answers.push(await canopy.json('registry', 'copy', '--to', `sqlite:${to}`, '--replace', '--yes'))
    if (isMounted) spawnSync('umount', ['mount'], { cwd: directory })
    const message = 'source and target are the same registry'
    for (const answer of answers)
      expect(answer).toEqual({ error: 'invalid usage', message, hint: 'choose another target' })
    expect(await names(canopy)).toEqual(['Photos'])
  })

  it('can be repeated after it was killed', async () => {
    const canopy = await filled()
    const setting = (n: number) => ({ type: 'setting', account: '7', path: `/${n}`, visibility: 'public' })
    const lines = Array.from({ length: 50_000 }, (_, n) => JSON.stringify(setting(n)))
    await writeFile(join(canopy.directory, 'lines'), lines.join('\n'))
    await canopy.json('import', join(canopy.directory, 'lines'))
    const target = join(canopy.directory, 'copy')
    const words = ['registry', 'copy', '--to', `sqlite:${target}`]
    const child = spawn(process.execPath, [bin, ...words], { cwd: canopy.directory, env: {} })
    const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)))
    // Far into the transaction.
    await vi.waitUntil(() => existsSync(`${target}-wal`) && statSync(`${target}-wal`).size > 3_000_000, {
      timeout: 30_000,
      interval: 1,
    })
    child.kill('SIGKILL')
    expect(await ended).toBe('SIGKILL')
    const copy = again(canopy, { CANOPY_REGISTRY: `sqlite:${target}` })
    expect(await names(copy)).toEqual([])
    expect(await canopy.json(...words)).toMatchObject({ accounts: 1, settings: 50_000 })
    expect(await names(copy)).toEqual(['Photos'])
  })

  it('reads one of its URLs from standard input, and refuses both', async () => {
    const canopy = await filled()
    const fed = (url: string) => again(canopy, {}, { stdin: Readable.from([Buffer.from(`${url}\n`)]) })
    expect(await fed('sqlite:one').json('registry', 'copy', '--to', '-')).toMatchObject({ accounts: 1 })
    expect(await fed('sqlite:one').json('registry', 'copy', '--from', '-', '--to', 'sqlite:two')).toMatchObject({
      from: `sqlite:${canopy.directory}/one`,
      to: `sqlite:${canopy.directory}/two`,
    })
    const message = expect.stringContaining('cannot both read standard input')
    expect(await fed('sqlite:one').json('registry', 'copy', '--from', '-', '--to', '-')).toMatchObject({ message })
  })

  it('restores a copy with --replace after confirmation', async () => {
    const canopy = await filled()
    await canopy.run('registry', 'copy', '--to', 'sqlite:copy')
    await canopy.run('account', 'update', '7', '--name', 'Newer')
    const restore = ['registry', 'copy', '--from', 'sqlite:copy', '--replace']
    expect(await canopy.run(...restore)).toMatchObject({ exit: 2, stderr: expect.stringMatching(/add --yes/) })
    const asked: Array<string> = []
    expect(await attended(canopy, false, asked).json(...restore)).toMatchObject({ error: 'not confirmed' })
    const question = /^This will delete everything in sqlite:.*registry\.sqlite\.\nReplace it\?/
    expect(asked).toEqual([expect.stringMatching(question)])
    expect(await names(canopy)).toEqual(['Newer'])
    await attended(canopy, true).json(...restore)
    expect(await names(canopy)).toEqual(['Photos'])
    await canopy.run('account', 'update', '7', '--name', 'Newer')
    await canopy.json(...restore, '--yes')
    expect(await names(canopy)).toEqual(['Photos'])
  })

  it.each([
    [[], /^canopy: no source or target given: specify --to URL/],
    [['--to', '/backup'], /^canopy: --to: this is not a registry URL: use "sqlite:"/],
    [['--from', 'postgres://u:secret@/x y?a=b', '--to', 'sqlite:x'], /^canopy: --from: (?!.*secret)/],
  ])('reports wrong usage: %j', async (words, message) => {
    const { run } = await filled()
    expect(await run('registry', 'copy', ...words)).toMatchObject({ exit: 2, stderr: expect.stringMatching(message) })
  })
})

const engines = postgresIsTested ? ['PostgreSQL'] : []

describe.each(engines)('a registry in %s', async () => {
  const postgres = await startPostgres()
  afterAll(postgres.stop)

  // SQLite does not show this: its driver keeps the file open until statements are garbage-collected.
  it('is closed at the end of a command, even after a failure', async () => {
    const url = await postgres.newDatabase()
    const { run } = await freshCanopy({ CANOPY_REGISTRY: url })
    const session = new Client({ connectionString: url })
    await session.connect()
    const others = 'select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
    for (const [words, exit] of [
      ['account create --id 1', 0],
      ['account create --id 1', 1],
      ['account list', 0],
      ['visibility list 2', 1],
    ] as const) {
      expect({ words, ...(await run(...words.split(' '))) }).toMatchObject({ words, exit })
      // The server needs a moment to see that a connection has ended.
      await expect.poll(async () => (await session.query(others)).rows.length, { message: words }).toBe(0)
    }
    await session.end()
  })
})
