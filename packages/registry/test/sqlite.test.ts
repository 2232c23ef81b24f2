import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, open, readdir, readlink, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openRegistryWriter } from '../src/admin/RegistryWriter.js'
import { openRegistry } from '../src/openRegistry.js'
import type { SqliteUrl } from '../src/RegistryUrl.js'
import { isSafeVersion, readSqlite, retryWhileBusy } from '../src/sqlite.js'
import { rawDatabase } from './rawDatabase.js'
import { forThisTest, left, opened, right } from './right.js'
import { newAccount, user } from './values.js'

const run = promisify(execFile)
const addRows = fileURLToPath(new URL('addRows.mjs', import.meta.url))

const state: { home: string; url: SqliteUrl } = { home: '', url: { engine: 'SQLite', path: '' } }
const made = { homes: 0 }

beforeAll(async () => {
  state.home = await mkdtemp(join(tmpdir(), 'canopy-sqlite-'))
})
beforeEach(() => {
  made.homes += 1
  state.url = { engine: 'SQLite', path: join(state.home, `${made.homes}`, 'deep', 'registry.db') }
})
afterAll(() => rm(state.home, { recursive: true, force: true }))

const directory = () => dirname(state.url.path)

/** By a process that has ended since. */
const makeElsewhere = (first = '1') => run(process.execPath, [addRows, `sqlite:${state.url.path}`, first, '1'])

describe('an open registry', () => {
  it('answers from the file that took the place of the old one', async () => {
    await makeElsewhere()
    const { areaOfUser } = await opened(openRegistry(state.url))
    await copyFile(state.url.path, `${state.url.path}.new`)
    await makeElsewhere('2')
    expect((await right(areaOfUser(user('2')))).location).toBe('2')
    await rm(`${state.url.path}-wal`)
    await rename(`${state.url.path}.new`, state.url.path)
    await sleep(1_000)
    expect((await right(areaOfUser(user('1')))).location).toBe('1')
    expect(await left(areaOfUser(user('2')))).toEqual({ error: 'permission denied' })
  })

  it('has no file open any more once it is closed', async () => {
    await makeElsewhere()
    const { areaOfUser, close } = await right(openRegistry(state.url))
    expect((await right(areaOfUser(user('1')))).location).toBe('1')
    await close()
    const open = await Promise.all(
      (await readdir('/proc/self/fd')).map((descriptor) => readlink(`/proc/self/fd/${descriptor}`).catch(() => '')),
    )
    expect(open.filter((path) => path.startsWith(state.url.path))).toEqual([])
  })
})

describe('a registry that is not there', () => {
  it('is not made by a server, which says what to do', async () => {
    await mkdir(directory(), { recursive: true })
    const { message } = await left(openRegistry(state.url))
    expect(message).toMatch(/^no registry at sqlite:\/.*: `canopy account create` makes one; /)
    expect(await readdir(directory())).toEqual([])
  })
  it.each([0o000, 0o022, 0o077])(
    'is created by an operator with its directory and the files beside it, for no other user, under umask %i',
    async (umask) => {
      const before = process.umask(umask)
      try {
        const writer = await right(openRegistryWriter(state.url))
        await right(writer.accounts.create(newAccount()))
        const files = await readdir(directory())
        expect(files.sort()).toEqual(['registry.db', 'registry.db-shm', 'registry.db-wal'])
        for (const name of files) expect((await stat(join(directory(), name))).mode & 0o777).toBe(0o600)
        expect((await stat(directory())).mode & 0o777).toBe(0o750 & ~umask)
        await writer.close()
      } finally {
        process.umask(before)
      }
    },
  )
  it('keeps the mode that an operator gave it later', async () => {
    await (await right(openRegistryWriter(state.url))).close()
    await chmod(state.url.path, 0o640)
    await (await right(openRegistryWriter(state.url))).close()
    expect((await stat(state.url.path)).mode & 0o777).toBe(0o640)
  })
})

describe('a server', () => {
  it('reads a registry that no other process has open', async () => {
    await makeElsewhere()
    expect(await readdir(directory())).toEqual(['registry.db'])
    const registry = await opened(openRegistry(state.url))
    expect((await right(registry.areaOfUser(user('1')))).location).toBe('1')
  })
  it('sees what another process wrote, as soon as that has ended', async () => {
    await (await right(openRegistryWriter(state.url))).close()
    const registry = await opened(openRegistry(state.url))
    expect(await left(registry.areaOfUser(user('1')))).toEqual({ error: 'permission denied' })
    await makeElsewhere()
    expect((await right(registry.areaOfUser(user('1')))).location).toBe('1')
  })
  it('reads on while an operator is in the middle of a change, and sees nothing of it yet', async () => {
    await (await right(openRegistryWriter(state.url))).close()
    const raw = forThisTest(await rawDatabase(state.url))
    const registry = await opened(openRegistry(state.url))
    const change = await raw.startTransaction().execute()
    await change
      .insertInto('accounts')
      .values({ id: '1'.padStart(20, '0'), name: null, verified: 1, location: '1' })
      .execute()
    expect(await left(registry.areaOfUser(user('1')))).toEqual({ error: 'permission denied' })
    await change.commit().execute()
    expect((await right(registry.areaOfUser(user('1')))).location).toBe('1')
  })
  it('cannot write', async () => {
    await (await right(openRegistryWriter(state.url))).close()
    const { db } = readSqlite(state.url.path)
    await expect(db.deleteFrom('accounts').execute()).rejects.toThrow('attempt to write a readonly database')
    await expect(sql`create table t (a)`.execute(db)).rejects.toThrow('attempt to write a readonly database')
    await expect(sql`pragma user_version = 7`.execute(db)).rejects.toThrow('attempt to write a readonly database')
    await db.destroy()
  })
  it('does not start where SQLite cannot keep its files beside the registry', async () => {
    await makeElsewhere()
    await mkdir(`${state.url.path}-wal`)
    expect((await left(openRegistry(state.url))).message).toMatch(/needs a directory that it may write, or PostgreSQL/)
  })
  it('does not start on a file that holds no registry, and leaves it as it is', async () => {
    await mkdir(directory(), { recursive: true })
    await writeFile(state.url.path, '')
    expect((await left(openRegistry(state.url))).message).toMatch(
      /holds no registry: `canopy account create` makes one/,
    )
    await writeFile(state.url.path, 'x'.repeat(5000))
    expect((await left(openRegistry(state.url))).message).toMatch(/cannot be read: file is not a database\. .*restore/)
    expect((await stat(state.url.path)).size).toBe(5000)
  })
})

describe('an operator', () => {
  it('writes to the disk before a command reports, and keeps the links between tables', async () => {
    const raw = forThisTest(await rawDatabase(state.url))
    const pragma = async (name: string) =>
      (await sql.raw<object>(`pragma ${name}`).execute(raw)).rows.map(Object.values)
    expect(await pragma('journal_mode')).toEqual([['wal']])
    expect(await pragma('synchronous')).toEqual([[2]])
    expect(await pragma('foreign_keys')).toEqual([[1]])
    expect(await pragma('busy_timeout')).toEqual([[250]])
  })
  it('reads why a registry cannot be made', async () => {
    await mkdir(state.url.path, { recursive: true })
    expect((await left(openRegistryWriter(state.url))).message).toMatch(/cannot be opened for writing: EISDIR/)
  })
  it('reads that the copy is to be restored when the file is damaged, and so does a server', async () => {
    await makeElsewhere()
    const { size } = await stat(state.url.path)
    const file = await open(state.url.path, 'r+')
    await file.write(Buffer.alloc(size - 4096, 0xff), 0, size - 4096, 4096)
    await file.close()
    const what = /database disk image is malformed\. The file is damaged.*restore the copy of your last backup/
    expect((await left(openRegistryWriter(state.url))).message).toMatch(what)
    expect((await left(openRegistry(state.url))).message).toMatch(what)
  })
  it('reads that the file is something else, and leaves it as it is', async () => {
    await mkdir(directory(), { recursive: true })
    await writeFile(state.url.path, 'x'.repeat(5000))
    expect((await left(openRegistryWriter(state.url))).message).toMatch(
      /cannot be opened for writing: file is not a database\. .*restore the copy/,
    )
    expect((await stat(state.url.path)).size).toBe(5000)
  })
})

describe('a SQLite that can lose commits is refused', () => {
  it.each(['3.51.3', '3.51.10', '3.52.0', '3.53.0', '4.0.0', '10.0'])('%s is safe', (version) => {
    expect(isSafeVersion(version)).toBe(true)
  })
  it.each(['3.51.2', '3.50.9', '3.45.1', '3.7.0', '2.99.99', '3.51', '3', '', 'unknown'])('%j is not', (version) => {
    expect(isSafeVersion(version)).toBe(false)
  })
})

const busy = Object.assign(new Error('database is locked'), { errcode: 5 })
const busySnapshot = Object.assign(new Error('database is locked'), { errcode: 517 })
const full = Object.assign(new Error('database or disk is full'), { errcode: 13 })

/** Fails with these errors, one after the other, and then answers how often it ran. */
const failing = (...causes: ReadonlyArray<Error>) => {
  const tries = { made: 0 }
  return async () => {
    const cause = causes[tries.made]
    tries.made += 1
    if (cause !== undefined) throw cause
    return tries.made
  }
}

describe('retryWhileBusy', () => {
  it('tries again while another process holds the lock', async () => {
    expect(await retryWhileBusy(failing(busy, busySnapshot, busy))).toBe(4)
  })
  it('gives any other failure on', async () => {
    await expect(retryWhileBusy(failing(busy, full))).rejects.toBe(full)
  })
  it('gives up when its time is over', async () => {
    await expect(retryWhileBusy(failing(busy), performance.now())).rejects.toBe(busy)
  })
})
