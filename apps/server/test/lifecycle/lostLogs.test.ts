import { type ChildProcess, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { constants, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@canopy/test-support'
import { describe, expect, it, onTestFinished } from 'vitest'
import { statusOf } from '../http/connecting.js'
import { dataOf, seedData, spawnServer } from '../startServer.js'

const timeout = 20_000

const fill = ({ fd }: FileHandle): void => {
  try {
    for (;;) writeSync(fd, Buffer.alloc(4096))
  } catch {
    // It is full.
  }
}

/** The file that a server writes to, and what happens to that once the server answers. */
type Log = readonly [path: string | undefined, lose: (pipe: FileHandle, server: ChildProcess) => unknown]

const logs: Readonly<Record<string, Log>> = {
  'a pipe whose reader is gone': ['pipe', (pipe) => pipe.close()],
  'a socket whose reader is gone': [undefined, (_, { stdout }) => stdout?.destroy()],
  'a full pipe that is not read': ['pipe', fill],
  'a full disk': ['/dev/full', () => undefined],
}
const cases = Object.entries(logs).flatMap(([name, log]) =>
  ['1', '2'].map((workers) => [name, workers, ...log] as const),
)

describe('a server that has lost its log', { timeout: 60_000 }, () => {
  const over = dataOf((data) => seedData(data, { accounts: [], triggers: [] }))

  it.each(cases)('%s: it survives SIGHUP and exits 0, with %s process(es)', async (name, workers, path, lose) => {
    const [port, fifo] = [await freePort(), join(over.data, `${name} ${workers}`)]
    execFileSync('mkfifo', [fifo])
    const pipe = await open(fifo, constants.O_RDWR | constants.O_NONBLOCK)
    onTestFinished(() => pipe.close())
    const own = { CANOPY_DATA: over.data, CANOPY_PORT: `${port}`, CANOPY_WORKERS: workers }
    const first = ['sh', '-c', 'exec "$@" >"$0" 2>&1', path === 'pipe' ? fifo : `${path}`]
    const server = spawnServer(
      { ...own, CANOPY_STOP_MS: '1000', CANOPY_LOG: 'trace' },
      { first: path === undefined ? [] : first },
    )
    onTestFinished(() => void server.kill('SIGKILL'))
    server.stdout?.resume()
    await expect.poll(() => statusOf(port, '/healthz'), { timeout }).toBe(200)
    await lose(pipe, server)
    // More than the buffer of a pipe or a socket holds.
    for (let times = 0; times < 300; times += 1) expect(await statusOf(port, `/${'x/'.repeat(500)}`)).toBe(404)
    server.kill('SIGHUP')
    // A worker that is replaced may reset a connection that it has not accepted.
    await expect.poll(() => statusOf(port, '/nothing'), { timeout }).toBe(404)
    const exit = once(server, 'exit')
    server.kill('SIGTERM')
    expect(await exit).toEqual([0, null])
  })
})
