import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openRegistryWriter } from '../src/admin/index.js'
import { openRegistry } from '../src/index.js'
import { left, opened } from './right.js'
import { newAccount, user } from './values.js'

let directory = ''
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'canopy-failing-'))
})
afterEach(() => rm(directory, { recursive: true }))

const urlIn = (place: string) => ({ engine: 'SQLite', path: join(place, 'registry.sqlite') }) as const

const mounted = (place: string): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=400k', 'tmpfs', place]).status === 0
const unmount = (place: string) => spawnSync('umount', ['-l', place])

/** Not run where this user may not mount. */
const tried = mkdtempSync(join(tmpdir(), 'canopy-mount-'))
const mayMount = mounted(tried) && unmount(tried).status === 0
rmdirSync(tried)

const built = (path: string): string => JSON.stringify(new URL(`../dist/${path}`, import.meta.url).href)

/** By a process of its own, whose end closes every file of it. */
const makeRegistry = () => {
  const program = `
    import { openRegistryWriter } from ${built('admin/index.js')}
    await (await openRegistryWriter({ engine: 'SQLite', path: process.argv[1] })()).right.close()`
  const words = ['--input-type=module', '-e', program, urlIn(directory).path]
  expect(spawnSync(process.execPath, words, { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
}

/** Takes all the room that there is. */
const fill = async (): Promise<void> => {
  for (const [name, bytes] of [
    ['much', 1 << 20],
    ['rest', 4096],
  ] as const)
    await writeFile(join(directory, name), Buffer.alloc(bytes)).catch(() => undefined)
}

describe.runIf(mayMount)('a registry on a full disk', () => {
  beforeEach(() => mounted(directory))
  afterEach(() => unmount(directory))

  it('is reported as that when it is opened, for reading and for writing', async () => {
    makeRegistry()
    await fill()
    for (const open of [openRegistry, openRegistryWriter])
      expect((await left<{ readonly message: string }, unknown>(open(urlIn(directory)))).message).toMatch(
        /\. The disk is full.*make room$/,
      )
  })

  it('is reported as that by a change that finds no room', async () => {
    const writer = await opened(openRegistryWriter(urlIn(directory)))
    await fill()
    let refusal: unknown
    for (let id = 1; refusal === undefined && id < 1_000; id += 1) {
      const made = await writer.accounts.create(newAccount({ id: user(String(id)) }))()
      if (made._tag === 'Left') refusal = made.left
    }
    expect(refusal).toMatchObject({ cause: { message: expect.stringMatching(/\. The disk is full.*make room$/) } })
  })
})

it('a process without descriptors is reported as such, and not as one that lacks a permission', async () => {
  makeRegistry()
  const program = `
    import { openSync } from 'node:fs'
    import { openRegistry } from ${built('index.js')}
    import ${built('sqlite.js')}
    try { for (;;) openSync('/dev/null') } catch {}
    const { left } = await openRegistry({ engine: 'SQLite', path: process.argv[1] })()
    console.log(left.message)`
  const { stdout } = spawnSync(
    'prlimit',
    ['--nofile=400', process.execPath, '--input-type=module', '-e', program, urlIn(directory).path],
    { encoding: 'utf8' },
  )
  expect(stdout).toMatch(/This process has too many files open: raise its limit/)
})
