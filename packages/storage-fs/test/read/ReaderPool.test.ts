import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { FsStorage } from '../../src/fsStorage.js'
import { areaAt, at, childrenSince, readersAt, rootAt, unpacked } from '../temporaryArea.js'

const home = mkdtempSync(join(tmpdir(), 'canopy-readers-'))
afterAll(() => rmSync(home, { recursive: true }))
beforeAll(() => {
  mkdirSync(join(home, 'large'))
  execFileSync('sh', ['-c', 'seq 40000 | xargs touch'], { cwd: join(home, 'large') })
})

const root = rootAt(home)
const area = areaAt('.')

const readers = (options?: Parameters<typeof readersAt>[1]) => readersAt(root, options)

const listed = async ({ list }: Pick<FsStorage, 'list'>, path: string, signal?: AbortSignal) =>
  E.map(unpacked)(await list(area, at(path), { signal })())

/** A question leaves at the end of its tick. */
const sent = () => sleep(200)

const stoppedReader = async () => {
  const started = childrenSince()
  const ports = readers({ maxProcesses: 1 })
  await listed(ports, '/')
  await sent()
  const [reader = 0] = started()
  process.kill(reader, 'SIGSTOP')
  return { started, ports, reader }
}

const external = (message: string) =>
  E.left({ error: 'external', cause: expect.objectContaining({ message: expect.stringContaining(message) }) })

describe.runIf(process.platform === 'linux')('reader processes', () => {
  it('have no environment and a lower priority', async () => {
    const started = childrenSince()
    await listed(readers(), '/')
    const [reader = 0] = started()
    expect(readFileSync(`/proc/${reader}/environ`, 'utf8')).not.toMatch(/(^|\0)PATH=/)
    expect(getPriority(reader)).toBe(Math.min(19, getPriority() + 5))
  })

  it('report the errno of a failure', async () => {
    const cause = expect.objectContaining({ code: 'ENOENT' })
    expect(await readers().nodeAt(areaAt('no area'), at('/'))()).toEqual(E.left({ error: 'external', cause }))
  })

  it('share one process for the questions of a tick, and use a few for more', async () => {
    const started = childrenSince()
    const elsewhere = readers({ maxProcesses: 2 })
    const askTimes = (count: number) => Promise.all(Array.from({ length: count }, () => listed(elsewhere, '/')))
    const few = await askTimes(9)
    expect(started()).toHaveLength(1)
    const many = await askTimes(40)
    expect(started()).toHaveLength(2)
    expect([...few, ...many].every(E.isRight)).toBe(true)
  })

  it('that die answer `external` to a single question, and others of a batch are asked again', async () => {
    for (const [paths, answers] of [
      [['/'], [external('ended unexpectedly')]],
      [['/', '/large', '/'], Array(3).fill(expect.objectContaining({ _tag: 'Right' }))],
    ] as const) {
      const { ports, reader } = await stoppedReader()
      const asked = Promise.all(paths.map((path) => listed(ports, path)))
      await sent()
      process.kill(reader, 'SIGKILL')
      expect(await asked).toEqual(answers)
      expect(E.isRight(await listed(ports, '/'))).toBe(true)
    }
  })

  it('skip the cancelled questions of a batch and answer the others', async () => {
    const before = performance.now()
    await listed(readers(), '/large')
    const msOfOne = performance.now() - before
    const { started, ports, reader } = await stoppedReader()
    const left = new AbortController()
    const cancelled = Array.from({ length: 20 }, () => listed(ports, '/large', left.signal))
    const other = listed(ports, '/')
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
    const hanging = listed(ports, '/')
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
    const isAnswered = async () => E.isRight(await listed(elsewhere, '/'))
    await vi.waitUntil(isAnswered, 30_000)
    await sent()
    const [reader = 0] = started().slice(-1)
    process.kill(reader, 'SIGSTOP')
    expect(await listed(elsewhere, '/')).toEqual(external('not read within 2000 ms'))
    await vi.waitUntil(isAnswered, 30_000)
    await vi.waitUntil(() => !existsSync(`/proc/${reader}/cwd`), 15_000)
  })

  it('end when idle, and start again', async () => {
    const started = childrenSince()
    const elsewhere = readers({ idleMs: 1 })
    await listed(elsewhere, '/')
    await vi.waitUntil(() => started().length === 0, 15_000)
    expect(E.isRight(await listed(elsewhere, '/'))).toBe(true)
  })

  /** Returns the command line of a program with a pool of its own. */
  const program = (text: string): ReadonlyArray<string> => {
    const asking = `
      import { ReaderPool } from './dist/read/ReaderPool.js'
      import { closeSync, openSync, readFileSync } from 'node:fs'
      const readers = new ReaderPool('/', { maxProcesses: 1 })
      const ask = async () => (await readers.list({ ask: 'list', area: { owner: 1n, location: '.' }, path: '/', isSnapshot: false }))._tag
      ${text}`
    return ['-c', 'ulimit -n 200; exec "$0" --input-type=module --eval "$1"', process.execPath, asking]
  }
  const options = { cwd: join(import.meta.dirname, '../..'), timeout: 60_000 }

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
