import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { dataOf, type Server, startServer, temporaryData } from '../startServer.js'
import { allFiles, requestInFlight, seedMuch } from './inFlight.js'

const target = '/api/usercontent/v1/tree/id/1?depth=0'

describe('a server of several processes', { timeout: 90_000 }, () => {
  const over = dataOf(seedMuch)

  const two = { CANOPY_WORKERS: '2' }

  const started = async (
    variables: Readonly<Record<string, string>> = two,
    { cwd = '/', atEnd = onTestFinished } = {},
  ): Promise<Server> => {
    const server = await startServer({ CANOPY_DATA: over.data, ...variables }, { cwd })
    atEnd(async () => void (await server.end()))
    await server.until('all workers are ready')
    // The lines of workers come through a pipe, later than those of the primary.
    await server.until('ready', Number(server.said('all workers are ready')[0]?.['workers']))
    return server
  }

  it.each([0, 100, 300])('stops workers that are still starting: %s ms after a reload', async (ms) => {
    const running = await started({ ...two, CANOPY_STOP_MS: '30000' })
    running.process.kill('SIGHUP')
    await running.until('reloading')
    await sleep(ms)
    const began = performance.now()
    expect(await running.end()).toBe(0)
    expect(performance.now() - began).toBeLessThan(10_000)
  })

  it('replaces workers and reloads after its working directory is deleted', async () => {
    const folder = await temporaryData()
    const running = await started(two, { cwd: folder })
    await rm(folder, { recursive: true })
    const [first] = running.said('ready')
    process.kill(Number(first?.['pid']), 'SIGKILL')
    await running.until('ready', 3)
    expect(running.said('worker crashed')).toMatchObject([{ worker: first?.['worker'], reason: 'SIGKILL' }])
    running.process.kill('SIGHUP')
    await running.until('reloaded')
    // Large enough to be read by a helper process, which is started for it.
    const all = await running.get('/api/usercontent/v1/diritems/id/1')
    expect([all.status, all.body.length > 1_000_000]).toEqual([200, true])
    expect(await running.end()).toBe(0)
  })

  it('answers connections that a killed worker had not accepted', async () => {
    const running = await started()
    const [first] = running.said('ready')
    process.kill(Number(first?.['pid']), 'SIGSTOP')
    const asked = [1, 2, 3].map(() => running.status(target))
    await Promise.race(asked)
    process.kill(Number(first?.['pid']), 'SIGKILL')
    expect(await Promise.all(asked)).toEqual([200, 200, 200])
  })

  it('replaces all workers after one event that ends them together', async () => {
    const running = await started({ CANOPY_WORKERS: '8' })
    for (const { pid } of running.said('ready')) process.kill(Number(pid), 'SIGKILL')
    await running.until('ready', 16)
    expect(running.said('giving up: workers keep crashing')).toEqual([])
  })

  it('replaces a worker that crashes again after a pause that doubles with each crash', async () => {
    const running = await started()
    const children = () => spawnSync('pgrep', ['-P', String(running.process.pid)], { encoding: 'utf8' }).stdout
    const pauses: Array<number> = []
    for (const crashes of [1, 2, 3]) {
      process.kill(Number(running.said('ready').at(-1)?.['pid']), 'SIGKILL')
      await running.until('worker crashed', crashes)
      const crashedAt = performance.now()
      await vi.waitUntil(() => children().trim().includes('\n'), { interval: 10, timeout: 60_000 })
      pauses.push(performance.now() - crashedAt)
      await running.until('ready', 2 + crashes)
    }
    expect(pauses[1]).toBeGreaterThan(200)
    expect(pauses[2]).toBeGreaterThan(400)
  })

  it.concurrent('exits 1 with one reason when no worker can start', async ({ expect, onTestFinished: atEnd }) => {
    const copy = await temporaryData()
    await cp(over.data, copy, { recursive: true })
    const running = await started({ ...two, CANOPY_DATA: copy }, { atEnd })
    await rm(join(copy, 'registry.sqlite'))
    for (const { pid } of running.said('ready')) process.kill(Number(pid), 'SIGKILL')
    await running.until('giving up: workers keep crashing')
    expect(running.said('worker did not start')).toMatchObject([{ reason: expect.stringContaining('no registry at') }])
    expect(await once(running.process, 'close')).toEqual([1, null])
    await rm(copy, { recursive: true })
  })

  it.concurrent('reloads on SIGHUP while old workers finish answers', async ({ expect, onTestFinished: atEnd }) => {
    const file = join(over.data, 'reload.env')
    await writeFile(file, 'CANOPY_WORKERS=2\n')
    const running = await started({ CANOPY_CONFIG: file }, { atEnd })
    await writeFile(file, 'CANOPY_LOG=loud\n')
    running.process.kill('SIGHUP')
    await running.until('reload failed: invalid configuration')
    expect([await running.status(target), running.said('ready').length]).toEqual([200, 2])
    const { finish } = await requestInFlight(running.port)
    await writeFile(file, 'CANOPY_TREE_NODES=1\nCANOPY_WORKERS=1\nCANOPY_HOST=127.0.0.2\n')
    running.process.kill('SIGHUP')
    await running.until('reloading')
    expect(await finish()).toBe(allFiles)
    await running.until('reloaded')
    const url = String(running.said('listening').at(-1)?.['url'])
    expect(url).toContain('//127.0.0.2:')
    const answer = await fetch(`${url}/api/usercontent/v1/tree/id/1`)
    expect(await answer.text()).not.toContain('content":[')
  })
})

const bench = fileURLToPath(new URL('../../bench/restarts.mjs', import.meta.url))

const rounds = 3

const counted = async (how: 'stop' | 'reload', ...more: ReadonlyArray<string>) => {
  const measure = promisify(execFile)(process.execPath, [bench, `--rounds=${rounds}`, `--how=${how}`, ...more])
  const { stdout } = await measure.catch((failed: { readonly stdout: string }) => failed)
  return JSON.parse(stdout)[how]
}

describe('under load', { timeout: 300_000 }, () => {
  it('a reload fails no request and refuses no connection', async () => {
    const { complete, shed: _, ...rest } = await counted('reload')
    expect(complete).toBeGreaterThan(0)
    const faults = 'exitsOtherThan0 failedInFlight refused notAccepted race truncated hung wrong'.split(' ')
    const none = Object.fromEntries(faults.map((fault) => [fault, 0]))
    expect(rest).toEqual({ rounds, seconds: expect.any(Number), ...none })
  })

  // The drain is longer than a client pauses before the next request on its connection.
  it.each([1, 2])('a stop of %s with a drain, and a start, fail no request in flight', async (workers) => {
    const { complete, failedInFlight, exitsOtherThan0 } = await counted('stop', `--workers=${workers}`, '--drain=2000')
    expect(complete).toBeGreaterThan(0)
    expect({ failedInFlight, exitsOtherThan0 }).toEqual({ failedInFlight: 0, exitsOtherThan0: 0 })
  })
})
