import cluster, { type Worker } from 'node:cluster'
import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { pino } from 'pino'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { runWorkers, workersOf } from '../src/cluster.js'
import { type Configured, read } from '../src/config.js'

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  return { ...fs, readFileSync: vi.fn<typeof readFileSync>(fs.readFileSync) }
})
vi.mock('node:os', async (original) => ({ ...(await original<object>()), availableParallelism: () => 8 }))

afterEach(() => {
  vi.restoreAllMocks()
})

const configured = (variables: Readonly<Record<string, string>>): Configured => {
  const found = read('/', { CANOPY_PORT: '0', ...variables })
  if (E.isLeft(found)) throw new Error(found.left.join())
  return found.right
}

/** As much of a worker as the primary meets. */
const fakeWorker = () => Object.assign(new EventEmitter(), { id: 1, process: { pid: 1, kill: vi.fn<() => boolean>() } })

describe('the process that starts workers', () => {
  it('forks none once it stops, also where the first one listens only then', async () => {
    const forked = new EventEmitter()
    const fork = vi.spyOn(cluster, 'fork').mockImplementation(() => {
      const worker = fakeWorker()
      forked.emit('worker', worker)
      return worker as unknown as Worker
    })
    const { stop, ended } = runWorkers(configured({ CANOPY_WORKERS: '3' }), () => E.left([]), pino({ enabled: false }))
    const [first] = await once(forked, 'worker')
    stop()
    first.emit('listening', { port: 1 })
    await turn()
    expect(fork).toHaveBeenCalledTimes(1)
    expect(first.process.kill).toHaveBeenCalledExactlyOnceWith('SIGTERM')
    first.emit('exit', 0)
    expect(await ended).toEqual(E.right(0))
  })
})

it.each([
  ['max 100000\n', 8],
  ['200000 100000\n', 2],
  ['150000 100000\n', 2],
  ['50000 100000\n', 1],
  ['900000 100000\n', 8],
  ['', 8],
])(
  'as many workers start by themselves on 8 processors as the quota %j of the cgroup allows: %d',
  (cpuMax, workers) => {
    const files = new Map([
      ['/proc/self/cgroup', '0::/canopy.service\n'],
      ['/sys/fs/cgroup/canopy.service/cpu.max', cpuMax],
    ])
    vi.mocked(readFileSync).mockImplementation((path) => files.get(String(path)) ?? '')
    expect(workersOf(configured({ CANOPY_WORKERS: 'auto' }).config)).toBe(workers)
  },
)
