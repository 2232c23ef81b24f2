import { type ChildProcess, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@canopy/test-support'
import { describe, expect, it, onTestFinished } from 'vitest'
import { statusOf } from '../http/connecting.js'
import { dataOf, seedData, spawnServer } from '../startServer.js'

const boundMs = 20_000

/** Where a server writes, and what happens to that once it answers. */
interface Log {
  readonly path?: string
  readonly lose?: (server: ChildProcess) => void
  readonly end?: () => void
}

const fill = (fd: number): void => {
  try {
    for (;;) writeSync(fd, Buffer.alloc(4096))
  } catch {
    // It is full.
  }
}

describe('a server that has lost its log', { timeout: 60_000 }, () => {
  const over = dataOf((data) => seedData(data, { accounts: [], triggers: [] }))

  let pipes = 0
  /** A pipe of 64 KiB, and an end that keeps it open. */
  const newPipe = () => {
    pipes += 1
    const path = join(over.data, `pipe-${pipes}`)
    execFileSync('mkfifo', [path])
    return { path, fd: openSync(path, constants.O_RDWR | constants.O_NONBLOCK) }
  }

  const logs: Readonly<Record<string, () => Log>> = {
    'a pipe whose reader is gone': () => {
      const { path, fd } = newPipe()
      return { path, lose: () => closeSync(fd) }
    },
    'a socket whose reader is gone': () => ({ lose: ({ stdout }) => void stdout?.destroy() }),
    'a full pipe that is not read': () => {
      const { path, fd } = newPipe()
      return { path, lose: () => fill(fd), end: () => closeSync(fd) }
    },
    'a full disk': () => ({ path: '/dev/full' }),
  }

  const started = async ({ path, lose }: Log, workers: string) => {
    const port = await freePort()
    const own = { CANOPY_DATA: over.data, CANOPY_PORT: `${port}`, CANOPY_WORKERS: workers }
    const first = path === undefined ? [] : ['sh', '-c', 'exec "$@" >"$0" 2>&1', path]
    const server = spawnServer({ ...own, CANOPY_STOP_MS: '1000', CANOPY_LOG: 'trace' }, { first })
    onTestFinished(() => void server.kill('SIGKILL'))
    server.stdout?.resume()
    await expect.poll(() => statusOf(port, '/healthz'), { timeout: boundMs }).toBe(200)
    lose?.(server)
    return { server, port }
  }

  const cases = Object.entries(logs).flatMap(([name, log]) => ['1', '2'].map((count) => [name, count, log] as const))

  it.each(cases)('%s: it survives SIGHUP and exits 0, with %s process(es)', async (_, workers, newLog) => {
    const log = newLog()
    const { server, port } = await started(log, workers)
    // More than the buffer of a pipe or a socket holds.
    for (let times = 0; times < 300; times += 1) expect(await statusOf(port, `/${'x/'.repeat(500)}`)).toBe(404)
    server.kill('SIGHUP')
    // A worker that is replaced may reset a connection that it has not accepted.
    await expect.poll(() => statusOf(port, '/nothing'), { timeout: boundMs }).toBe(404)
    const exit = once(server, 'exit')
    server.kill('SIGTERM')
    expect(await exit).toEqual([0, null])
    log.end?.()
  })
})
