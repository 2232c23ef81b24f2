import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { read } from '../src/config.js'
import { logged } from './inProcess.js'
import { right } from './startApp.js'

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  return { ...fs, readFileSync: vi.fn<typeof readFileSync>(fs.readFileSync) }
})
vi.mock('node:os', async (original) => ({
  ...(await original<object>()),
  availableParallelism: () => 8,
  totalmem: vi.fn<typeof totalmem>(),
}))

// Other test files may have loaded the module without the mocks.
vi.resetModules()
const { logWorkers, workersOf } = await import('../src/workers.js')

const gibibyte = 2 ** 30

beforeEach(() => {
  vi.mocked(totalmem).mockReturnValue(64 * gibibyte)
  vi.spyOn(process, 'constrainedMemory').mockReturnValue(0)
})
afterEach(() => void vi.resetAllMocks())

const configOf = (variables: Readonly<Record<string, string>>) =>
  right(read('/', { CANOPY_WORKERS: 'auto', ...variables })).config

it.each([
  ['max 100000\n', 8],
  ['200000 100000\n', 2],
  ['50000 100000\n', 1],
  ['', 8],
])('processor quota %j of the cgroup starts %d workers on 8 processors', (cpuMax, workers) => {
  const files = new Map([
    ['/proc/self/cgroup', '0::/canopy.service\n'],
    ['/sys/fs/cgroup/canopy.service/cpu.max', cpuMax],
  ])
  vi.mocked(readFileSync).mockImplementation((path) => files.get(String(path)) ?? '')
  expect(workersOf(configOf({}))).toBe(workers)
})

// Node reports 0 for an unknown limit, and 2^64 for a cgroup without a limit.
it.each<[gibibytes: number, variables: Readonly<Record<string, string>>, workers: number]>([
  [2, {}, 2],
  [1 / 4, {}, 1],
  [16, {}, 8],
  [2 ** 34, {}, 8],
  [0, {}, 8],
  [6, { CANOPY_CACHE_BYTES: `${2.25 * gibibyte}` }, 2],
  [6, { CANOPY_CACHE_BYTES: '0' }, 8],
  [6, { CANOPY_UNREAD_BYTES: `${1.125 * gibibyte}` }, 3],
  [6, { CANOPY_UNREAD_BYTES: '0' }, 6],
  [1, { CANOPY_WORKERS: '12' }, 12],
])('a limit of %d GiB of memory with %o starts %d workers on 8 processors', (gibibytes, variables, workers) => {
  vi.mocked(process.constrainedMemory).mockReturnValue(gibibytes * gibibyte)
  expect(workersOf(configOf(variables))).toBe(workers)
})

it('a limit by memory is logged with its figures', () => {
  vi.mocked(process.constrainedMemory).mockReturnValue(2 * gibibyte)
  const { lines, log } = logged()
  logWorkers(configOf({}), log)
  const figures = { workers: 2, processors: 8, memoryBytes: 2 * gibibyte, workerBytes: gibibyte }
  expect(lines).toMatchObject([{ ...figures, msg: 'fewer workers than processors because of the memory limit' }])
})
