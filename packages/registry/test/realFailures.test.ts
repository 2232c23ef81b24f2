import { spawnSync } from 'node:child_process'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from '@canopy/test-support'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import {
  copyRegistry,
  openRegistryReader,
  openRegistryWriter,
  type RegistryReader,
  type Unavailable,
} from '../src/admin/index.js'
import { openRegistry } from '../src/index.js'
import { addRowsElsewhere } from './addRowsElsewhere.js'
import { left, opened, right } from './right.js'
import { newAccount, user } from './values.js'

let directory = ''
beforeEach(() => {
  directory = temporaryDirectory(onTestFinished)
})
afterEach(() => void spawnSync('umount', ['-l', directory]))

const url = (name = 'registry.sqlite') => ({ engine: 'SQLite', path: join(directory, name) }) as const

/** The problems of a server, a reading and a writing command. */
const problems = async (): Promise<ReadonlyArray<string>> => {
  const failures: Array<Unavailable> = []
  for (const open of [openRegistry, openRegistryReader, openRegistryWriter])
    failures.push(await left<Unavailable, unknown>(open(url())))
  return failures.map(({ message }) => message)
}

const isFull = /\. The disk or this user's quota is full/

describe('a full disk is named', () => {
  beforeEach((context) => {
    // Not run for users who may not mount.
    const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=400k', 'tmpfs', directory]).status === 0
    if (!isMounted) context.skip()
  })

  const fill = async (): Promise<void> => {
    for (const bytes of [1 << 20, 4096])
      await writeFile(join(directory, `${bytes}`), Buffer.alloc(bytes)).catch(() => undefined)
  }

  it('when a registry is opened', async () => {
    await addRowsElsewhere(url())
    await fill()
    for (const message of await problems()) expect(message).toMatch(isFull)
  })

  it('by a change', async () => {
    const writer = await opened(openRegistryWriter(url()))
    await fill()
    let failure: unknown
    for (let id = 1; failure === undefined && id < 1_000; id += 1) {
      const created = await writer.accounts.create(newAccount({ id: user(String(id)) }))()
      if (created._tag === 'Left') failure = created.left
    }
    expect(failure).toMatchObject({ cause: { message: expect.stringMatching(isFull) } })
  })
})

describe('a hostile file', () => {
  const byHand = (statements: string): void => {
    const file = new DatabaseSync(url().path, { defensive: false })
    file.exec(statements)
    file.close()
  }

  it.each([
    ['pipe', (path: string) => spawnSync('mkfifo', [path]), /is a pipe, a socket or a device\. Use a regular file/],
    ['device', (path: string) => symlink('/dev/zero', path), /is a pipe, a socket or a device/],
    ['link to itself', (path: string) => symlink(path, path), /ELOOP/],
    ['directory', (path: string) => spawnSync('mkdir', [path]), /is a directory\. Use a file in it/],
  ])('that is a %s is refused at once', async (_, create, message) => {
    await create(url().path)
    for (const problem of await problems()) expect(problem).toMatch(message)
  })

  it('of another program keeps every byte', async () => {
    byHand('create table bookmarks (id integer primary key)')
    const before = await readFile(url().path)
    const [serving, reading, writing] = await problems()
    for (const problem of [serving, reading])
      expect(problem).toMatch(/contains no registry: run `canopy account create`/)
    expect(writing).toMatch(/cannot be opened for writing: it belongs to another program: set CANOPY_REGISTRY/)
    expect(await readFile(url().path)).toEqual(before)
  })

  it.each([
    ['without a table', 'drop table tokens', 'tokens'],
    [
      'with an endless view for a table',
      `pragma foreign_keys = off; drop table accounts; create view accounts as
      with recursive a(id) as (select 1 union all select id + 1 from a) select id from a`,
      'accounts',
    ],
  ])('%s is refused', async (_, statements, table) => {
    await (await right(openRegistryWriter(url()))).close()
    byHand(statements)
    for (const problem of await problems()) expect(problem).toContain(`is missing tables: ${table}. Restore your last`)
  })

  it('with a huge value fails the reads of this value', async () => {
    const writer = await right(openRegistryWriter(url()))
    await right(writer.accounts.create(newAccount()))
    await writer.close()
    byHand("update accounts set name = printf('%.*c', 100000000, 'x')")
    const isTooBig = {
      error: 'external',
      cause: { message: expect.stringMatching(/too big\. Canopy never writes a value/) },
    }
    for (const open of [openRegistryReader, openRegistryWriter])
      expect(
        await left((await opened<Unavailable, Pick<RegistryReader, 'accounts' | 'close'>>(open(url()))).accounts.all),
      ).toMatchObject(isTooBig)
    const copy = copyRegistry(url(), url('copy'), { replace: false, onProgress: () => undefined })
    expect(await left(copy)).toMatchObject(isTooBig)
  })
})
