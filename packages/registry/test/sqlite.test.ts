import { chmod, mkdir, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { openRegistryWriter } from '../src/admin/RegistryWriter.js'
import { openRegistry } from '../src/openRegistry.js'
import type { SqliteUrl } from '../src/RegistryUrl.js'
import { isSafeVersion, readSqlite, retryWhileBusy } from '../src/sqlite.js'
import { addRowsElsewhere } from './addRowsElsewhere.js'
import { type Running, rawDatabase, sqlite } from './engines.js'
import { forThisTest, left, right } from './right.js'
import { newAccount, user } from './values.js'

let url: SqliteUrl
let running: Running
beforeAll(async () => {
  running = await sqlite.start()
})
beforeEach(async () => {
  url = (await running.newUrl()) as SqliteUrl
})
afterAll(() => running.stop())

const directory = () => dirname(url.path)

const openFiles = async () => {
  const descriptors = await readdir('/proc/self/fd')
  const paths = descriptors.map((descriptor) => readlink(`/proc/self/fd/${descriptor}`).catch(() => ''))
  return (await Promise.all(paths)).filter((path) => path.startsWith(url.path))
}

it('a replaced file still answers the calls that have begun, and is not reopened by a call while the registry closes', async () => {
  await addRowsElsewhere(url)
  const now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockReturnValue(now)
  onTestFinished(() => clock.mockRestore())
  const { areaOfUser, close } = await right(openRegistry(url))
  const replace = async (first: number) => {
    await rm(directory(), { recursive: true })
    await addRowsElsewhere(url, first)
  }
  await replace(2)
  const begun = right(areaOfUser(user('1')))
  clock.mockReturnValue(now + 60_000)
  const areas = await Promise.all([begun, right(areaOfUser(user('2')))])
  expect(areas.map(({ owner }) => owner)).toEqual([1n, 2n])
  expect(await openFiles()).not.toEqual([])
  await replace(3)
  clock.mockReturnValue(now + 120_000)
  const closed = close()
  await areaOfUser(user('3'))()
  await closed
  expect(await openFiles()).toEqual([])
})

it.each([0o000, 0o022, 0o077])('a registry is created for its user only, under umask %i', async (umask) => {
  const before = process.umask(umask)
  onTestFinished(() => void process.umask(before))
  const writer = await right(openRegistryWriter(url))
  await right(writer.accounts.create(newAccount()))
  const files = await readdir(directory())
  expect(files.sort()).toEqual(['registry.db', 'registry.db-shm', 'registry.db-wal'])
  for (const name of files) expect((await stat(join(directory(), name))).mode & 0o777).toBe(0o600)
  expect((await stat(directory())).mode & 0o777).toBe(0o750 & ~umask)
  await writer.close()
})

it('a registry keeps a mode that an operator has set', async () => {
  await (await right(openRegistryWriter(url))).close()
  await chmod(url.path, 0o640)
  await (await right(openRegistryWriter(url))).close()
  expect((await stat(url.path)).mode & 0o777).toBe(0o640)
})

it('a server cannot write', async () => {
  await (await right(openRegistryWriter(url))).close()
  const db = forThisTest(readSqlite(url.path).db)
  for (const write of ['delete from accounts', 'create table t (a)', 'pragma user_version = 7'])
    await expect(sql.raw(write).execute(db)).rejects.toThrow('attempt to write a readonly database')
})

it('a server does not start if SQLite cannot create its files beside the registry', async () => {
  await addRowsElsewhere(url)
  await mkdir(`${url.path}-wal`)
  expect((await left(openRegistry(url))).message).toMatch(
    /also needs write access to the directory\. Grant it, or use PostgreSQL/,
  )
})

it('a command syncs every commit, and enforces foreign keys', async () => {
  const raw = forThisTest(await rawDatabase(url))
  for (const [pragma, value] of Object.entries({
    journal_mode: 'wal',
    synchronous: 2,
    foreign_keys: 1,
    busy_timeout: 250,
  }))
    expect(Object.values((await sql.raw<object>(`pragma ${pragma}`).execute(raw)).rows[0] ?? {})).toEqual([value])
})

it.each([
  ['database disk image is malformed', 'damaged', (bytes: Buffer) => bytes.fill(0xff, 4096)],
  ['file is not a database', 'something else', (bytes: Buffer) => bytes.fill('x')],
])('a command and a server are told to restore the backup: %s in a file that is %s', async (what, _, change) => {
  await addRowsElsewhere(url)
  const changed = change(await readFile(url.path))
  await writeFile(url.path, changed)
  // For an attached file, SQLite reports a damaged schema as a file that does not open.
  const message = new RegExp(`(${what}|unable to open database: \\S+)\\. The file is damaged.*restore your last backup`)
  expect((await left(openRegistryWriter(url))).message).toMatch(message)
  expect((await left(openRegistry(url))).message).toMatch(message)
  expect(await readFile(url.path)).toEqual(changed)
})

it('a SQLite that can lose commits is refused', () => {
  const unsafe = ['3.51.2', '3.50.9', '3.45.1', '3.7.0', '2.99.99', '3.51', '3', '', 'unknown']
  const safe = ['3.51.3', '3.51.10', '3.52.0', '3.53.0', '4.0.0', '10.0']
  expect([...unsafe, ...safe].filter(isSafeVersion)).toEqual(safe)
})

const failure = (errcode: number) => Object.assign(new Error('from SQLite'), { errcode })
const [busy, busySnapshot, full] = [failure(5), failure(517), failure(13)]

/** Fails with these errors one after the other, then returns the number of its runs. */
const failing = (...causes: ReadonlyArray<Error>) => {
  let tries = 0
  return async () => {
    const cause = causes[tries]
    tries += 1
    if (cause !== undefined) throw cause
    return tries
  }
}

it('a lock that another process holds is retried until the deadline; other failures are not', async () => {
  expect(await retryWhileBusy(failing(busy, busySnapshot, busy))).toBe(4)
  await expect(retryWhileBusy(failing(busy, full))).rejects.toBe(full)
  await expect(retryWhileBusy(failing(busy), performance.now())).rejects.toBe(busy)
})
