import { type ChildProcess, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@canopy/test-support'
import { request } from '@canopy/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { seedData } from '../seedData.js'
import { dataOf, spawnServer } from '../startServer.js'

const boundMs = 20_000

/** A log, and how it is lost once the server answers. */
interface Lost {
  readonly stdout: 'pipe' | number
  readonly lose?: (server: ChildProcess) => Promise<void> | void
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
  /** A pipe of 64 KiB: its reader's end and the server's. */
  const newPipe = () => {
    pipes += 1
    const path = join(over.data, `pipe-${pipes}`)
    execFileSync('mkfifo', [path])
    const both = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
    return { both, stdout: openSync(path, 'w') }
  }

  const logs = {
    'a pipe whose reader is gone': () => {
      const { both, stdout } = newPipe()
      return { stdout, lose: () => closeSync(both) }
    },
    'a socket whose reader is gone': () => ({
      stdout: 'pipe' as const,
      lose: ({ stdout }: ChildProcess) => void stdout?.destroy(),
    }),
    'a full pipe that is not read': () => {
      const { both, stdout } = newPipe()
      return { stdout, lose: () => fill(both), end: () => closeSync(both) }
    },
    'a full disk': () => ({ stdout: openSync('/dev/full', 'w') }),
  } satisfies Readonly<Record<string, () => Lost>>
  const names = Object.keys(logs) as ReadonlyArray<keyof typeof logs>

  const statusOf = (port: number, target: string): Promise<number> =>
    request(port, { method: 'GET', target }).then(
      ({ status }) => status,
      () => 0,
    )

  const started = async ({ stdout, lose }: Lost, variables: Readonly<Record<string, string>>) => {
    const port = await freePort()
    const server = spawnServer(
      { CANOPY_DATA: over.data, CANOPY_PORT: `${port}`, CANOPY_STOP_MS: '1000', CANOPY_LOG: 'trace', ...variables },
      { stdout, sameStderr: typeof stdout === 'number' },
    )
    onTestFinished(() => void server.kill('SIGKILL'))
    if (typeof stdout === 'number') closeSync(stdout)
    else server.stdout?.resume()
    await expect.poll(() => statusOf(port, '/healthz'), { timeout: boundMs }).toBe(200)
    await lose?.(server)
    return { server, port }
  }

  const exitOf = (server: ChildProcess): Promise<unknown> =>
    Promise.race([once(server, 'exit'), sleep(boundMs).then(() => 'it has not ended')])

  it.each(names.flatMap((log) => ['1', '2'].map((workers) => [log, workers] as const)))(
    '%s: it survives SIGHUP and exits 0, with %s process(es)',
    async (name, workers) => {
      const log: Lost = logs[name]()
      const { server, port } = await started(log, { CANOPY_WORKERS: workers })
      // More than the buffer of a pipe or a socket holds.
      for (const _ of Array.from({ length: 300 })) expect(await statusOf(port, `/${'x/'.repeat(500)}`)).toBe(404)
      server.kill('SIGHUP')
      // A worker that is replaced may reset a connection that it has not accepted.
      await expect.poll(() => statusOf(port, '/nothing'), { timeout: boundMs }).toBe(404)
      const exit = exitOf(server)
      server.kill('SIGTERM')
      expect(await exit).toEqual([0, null])
      log.end?.()
    },
  )
})
