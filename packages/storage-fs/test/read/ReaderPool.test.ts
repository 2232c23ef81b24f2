import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Area, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { stepLength } from '../../src/read/directory.js'
import { type FsStorage, fsStorage } from '../../src/read/fsStorage.js'
import { ReaderPool } from '../../src/read/ReaderPool.js'
import { withHangingMount } from '../hangingMount.js'
import { areaAt, at, childrenSince, openIn, rootAt, unpacked } from '../temporaryArea.js'

const home = mkdtempSync(join(tmpdir(), 'canopy-readers-'))
afterAll(() => rmSync(home, { recursive: true }))
beforeAll(() => void directoryOf('large', 40_000))

const repository = join(import.meta.dirname, '../../../..')
const root = rootAt(home)
const area = areaAt('.')

const directoryOf = (name: string, count: number): StoragePath.StoragePath => {
  mkdirSync(join(home, name))
  execFileSync('sh', ['-c', `seq ${count} | xargs -r touch`], { cwd: join(home, name) })
  return at(`/${name}`)
}

const listed = async (
  { list }: Pick<FsStorage, 'list'>,
  asked: Area.Area,
  path: StoragePath.StoragePath,
  signal?: AbortSignal,
) => E.map(unpacked)(await list(asked, path, { signal })())

/** The ports of a pool of its own. */
const readers = (options?: ConstructorParameters<typeof ReaderPool>[1]): Omit<FsStorage, 'openFile'> => {
  const pool = new ReaderPool(root, options)
  return {
    nodeAt:
      (area, path, { signal } = {}) =>
      () =>
        pool.nodeAt(area, path, signal),
    list:
      (area, path, { signal } = {}) =>
      () =>
        pool.list({ ask: 'list', area, path, isSnapshot: false }, signal),
    listSnapshot:
      (area, path, { signal } = {}) =>
      () =>
        pool.list({ ask: 'list', area, path, isSnapshot: true }, signal),
  }
}

/** A question leaves at the end of its tick. */
const sent = () => sleep(200)

/** A pool whose only process is stopped. */
const stoppedReader = async () => {
  const started = childrenSince()
  const ports = readers({ maxProcesses: 1 })
  await listed(ports, area, at('/'))
  await sent()
  const [reader = 0] = started()
  process.kill(reader, 'SIGSTOP')
  return { started, ports, reader }
}

const external = (message: string) =>
  E.left({ error: 'external', cause: expect.objectContaining({ message: expect.stringContaining(message) }) })

describe.runIf(process.platform === 'linux')('reader processes', () => {
  it('answer like this process, also for large directories and snapshots', async () => {
    const storage = fsStorage(root)
    const elsewhere = readers()
    for (const count of [0, 3, 40 * stepLength + 1]) {
      const path = directoryOf(`of ${count}`, count)
      const here = E.map(unpacked)(await storage.list(area, path)())
      expect(await listed(elsewhere, area, path)).toEqual(here)
      expect(await listed({ list: elsewhere.listSnapshot }, area, path)).toEqual(here)
      expect(await elsewhere.nodeAt(area, path)()).toEqual(await storage.nodeAt(area, path)())
    }
  })

  it('fail for the same reasons, with the same causes', async () => {
    const elsewhere = readers()
    const file = directoryOf('with a file', 1)
    expect(await listed(elsewhere, area, at('/missing'))).toEqual(E.left({ error: 'file not found' }))
    expect(await listed(elsewhere, area, at(`${file}/1`))).toEqual(E.left({ error: 'type mismatch' }))
    expect(await elsewhere.nodeAt(area, at(`${file}/1/1`))()).toEqual(E.left({ error: 'type mismatch' }))
    const noArea = E.left({ error: 'external', cause: expect.objectContaining({ code: 'ENOENT' }) })
    expect(await listed(elsewhere, areaAt('no area'), at('/'))).toEqual(noArea)
    expect(await elsewhere.nodeAt(areaAt('no area'), at('/'))()).toEqual(noArea)
  })

  it('have no environment and a lower priority', async () => {
    const started = childrenSince()
    await listed(readers(), area, at('/'))
    const [reader = 0] = started()
    expect(readFileSync(`/proc/${reader}/environ`, 'utf8')).not.toMatch(/(^|\0)PATH=/)
    expect(getPriority(reader)).toBe(Math.min(19, getPriority() + 5))
  })

  it('share one process for the questions of a tick, and use a few for more', async () => {
    const started = childrenSince()
    const elsewhere = readers({ maxProcesses: 2 })
    const path = directoryOf('asked often', 5)
    const askTimes = (count: number) => Promise.all(Array.from({ length: count }, () => listed(elsewhere, area, path)))
    const few = await askTimes(9)
    expect(started()).toHaveLength(1)
    const many = await askTimes(40)
    expect(started()).toHaveLength(2)
    expect(new Set([...few, ...many].map((answer) => isDeepStrictEqual(answer, few[0])))).toEqual(new Set([true]))
    expect(few.every(E.isRight)).toBe(true)
  })

  it('repeat each question of a batch by itself after a process died', async () => {
    const { ports, reader } = await stoppedReader()
    const answers = Promise.all(['/', '/large', '/'].map((path) => listed(ports, area, at(path))))
    await sent()
    process.kill(reader, 'SIGKILL')
    expect((await answers).map(E.isRight)).toEqual([true, true, true])
  })

  it('skip the cancelled questions of a batch and answer the others', async () => {
    const before = performance.now()
    await listed(readers(), area, at('/large'))
    const msOfOne = performance.now() - before
    const { started, ports, reader } = await stoppedReader()
    const left = new AbortController()
    const cancelled = Array.from({ length: 20 }, () => listed(ports, area, at('/large'), left.signal))
    const other = listed(ports, area, at('/'))
    await sent()
    left.abort()
    expect(await cancelled[0]).toEqual(external('the client disconnected'))
    const continued = performance.now()
    process.kill(reader, 'SIGCONT')
    expect(E.isRight(await other)).toBe(true)
    expect(performance.now() - continued).toBeLessThan(10 * msOfOne)
    expect(started()).toEqual([reader])
  })

  it('drop a queued nodeAt when its client leaves, although every process hangs', async () => {
    const { ports, reader } = await stoppedReader()
    const hanging = listed(ports, area, at('/'))
    await sent()
    const left = new AbortController()
    const queued = ports.nodeAt(area, at('/large'), { signal: left.signal })()
    left.abort()
    expect(await queued).toEqual(external('the client disconnected'))
    process.kill(reader, 'SIGCONT')
    expect(E.isRight(await hanging)).toBe(true)
  })

  it('that hang are killed, and another answers the next question', async () => {
    const started = childrenSince()
    const elsewhere = readers({ maxProcesses: 1, maxMs: 2_000 })
    // A busy machine may take longer to start one.
    const isAnswered = async () => E.isRight(await listed(elsewhere, area, at('/')))
    await vi.waitUntil(isAnswered, 30_000)
    await sent()
    const [reader = 0] = started().slice(-1)
    process.kill(reader, 'SIGSTOP')
    expect(await listed(elsewhere, area, at('/'))).toEqual(external('not read within 2000 ms'))
    await vi.waitUntil(isAnswered, 30_000)
    await vi.waitUntil(() => !existsSync(`/proc/${reader}/cwd`), 15_000)
  })

  it('that die answer `external`, and another answers the next question', async () => {
    const { ports, reader } = await stoppedReader()
    const answer = listed(ports, area, at('/'))
    await sent()
    process.kill(reader, 'SIGKILL')
    expect(await answer).toEqual(external('ended unexpectedly'))
    expect(E.isRight(await listed(ports, area, at('/')))).toBe(true)
  })

  it('may die while idle', async () => {
    const started = childrenSince()
    const elsewhere = readers({ maxProcesses: 2 })
    // Questions of one area would share a process.
    await Promise.all([listed(elsewhere, area, at('/')), listed(elsewhere, areaAt('./.'), at('/'))])
    const both = started()
    expect(both).toHaveLength(2)
    const path = at('/large')
    const answer = listed(elsewhere, area, path)
    const holdsIt = (pid: number): boolean => openIn(join(home, path), pid).length > 0
    const busy = await vi.waitUntil(() => both.find(holdsIt), { timeout: 20_000, interval: 1 })
    for (const pid of both) if (pid !== busy) process.kill(pid, 'SIGKILL')
    expect(E.isRight(await answer)).toBe(true)
  })

  it('end when idle, and start again', async () => {
    const started = childrenSince()
    const elsewhere = readers({ idleMs: 1 })
    await listed(elsewhere, area, at('/'))
    await vi.waitUntil(() => started().length === 0, 15_000)
    expect(E.isRight(await listed(elsewhere, area, at('/')))).toBe(true)
  })

  /** Returns the command line of a program with a pool of its own. */
  const program = (text: string): ReadonlyArray<string> => {
    const asking = `
      import { ReaderPool } from './packages/storage-fs/dist/read/ReaderPool.js'
      import { closeSync, openSync, readFileSync } from 'node:fs'
      const readers = new ReaderPool('/', { maxProcesses: 1 })
      const ask = async () => (await readers.list({ ask: 'list', area: { owner: 1n, location: '.' }, path: '/', isSnapshot: false }))._tag
      ${text}`
    return ['-c', 'ulimit -n 200; exec "$0" --input-type=module --eval "$1"', process.execPath, asking]
  }
  const options = { cwd: repository, timeout: 60_000 }

  it.each([
    ['program', "const { execPath } = process; process.execPath = '/nowhere/node'", 'process.execPath = execPath'],
    [
      'descriptor',
      "const taken = []; try { for (;;) taken.push(openSync('/', 'r')) } catch {}",
      'for (const fd of taken) closeSync(fd)',
    ],
  ])('answer `external` while no %s is left, and recover', (_, take, giveBack) => {
    const text = `
      const began = performance.now()
      ${take}
      const answers = []
      for (let i = 0; i < 6; i += 1) answers.push(await ask())
      answers.push(...(await Promise.all([ask(), ask()])))
      ${giveBack}
      console.log(...answers, await ask(), performance.now() - began < 15_000)
      process.exit()`
    const said = execFileSync('sh', program(text), { ...options, encoding: 'utf8' })
    expect(said).toBe(`${'Left '.repeat(8)}Right true\n`)
  })

  it('keep this process alive only during a question', () => {
    const began = performance.now()
    execFileSync('sh', program('await ask()'), options)
    expect(performance.now() - began).toBeLessThan(20_000)
  })

  it('end when this process is killed, and at no other signal', async () => {
    const text = `for await (const _ of process.stdin) {
      await ask()
      console.log(readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim())
    }`
    const child = spawn('sh', program(text), { ...options, stdio: ['pipe', 'pipe', 'inherit'] })
    const reader = async () => {
      child.stdin.write('read')
      const [said] = await once(child.stdout, 'data')
      return Number(said)
    }
    const first = await reader()
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(first, signal)
    await sleep(100)
    expect(await reader()).toBe(first)
    child.kill('SIGKILL')
    await vi.waitUntil(() => !existsSync(`/proc/${first}/cwd`), 15_000)
  })
})

withHangingMount('readers of a FUSE mount that hangs', (mount) => {
  it('stay a bounded number although the kernel keeps killed ones, and recover', async () => {
    const started = childrenSince()
    const pool = new ReaderPool(mount.root, { maxProcesses: 1, maxMs: 1_000, idleMs: 100 })
    const node = () => pool.nodeAt(areaAt('mounted'), at('/f'))
    await vi.waitUntil(async () => E.isRight(await node()), 30_000)
    mount.hang()
    for (let requests = 0; requests < 5; requests += 1) expect(await node()).toMatchObject({ _tag: 'Left' })
    expect(started().length).toBeLessThanOrEqual(2)
    mount.answer()
    await vi.waitUntil(async () => E.isRight(await node()), 30_000)
    await vi.waitUntil(() => started().length === 0, 15_000)
  })
})
