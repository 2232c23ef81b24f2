import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Config, read } from '../src/config.js'
import { logged } from './inProcess.js'

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
afterEach(() => {
  vi.resetAllMocks()
})

const configOf = (variables: Readonly<Record<string, string>>): Config => {
  const found = read('/', { CANOPY_WORKERS: 'auto', ...variables })
  if (E.isLeft(found)) throw new Error(found.left.join())
  return found.right.config
}

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

it.each([
  { limit: '2 GiB', constrained: 2 * gibibyte, workers: 2 },
  { limit: '256 MiB', constrained: gibibyte / 4, workers: 1 },
  { limit: '16 GiB', constrained: 16 * gibibyte, workers: 8 },
  { limit: 'no limit', constrained: 2 ** 64, workers: 8 },
  { limit: 'an unknown limit', constrained: 0, workers: 8 },
])('$limit of memory starts $workers workers on 8 processors', ({ constrained, workers }) => {
  vi.mocked(process.constrainedMemory).mockReturnValue(constrained)
  expect(workersOf(configOf({}))).toBe(workers)
})

it.each([
  [{ CANOPY_CACHE_BYTES: `${2.25 * gibibyte}` }, 2],
  [{ CANOPY_CACHE_BYTES: '0' }, 8],
  [{ CANOPY_UNREAD_BYTES: `${1.125 * gibibyte}` }, 3],
  [{ CANOPY_UNREAD_BYTES: '0' }, 6],
])('workers are planned with the bounds of their own memory: %j', (variables, workers) => {
  vi.mocked(process.constrainedMemory).mockReturnValue(6 * gibibyte)
  expect(workersOf(configOf(variables))).toBe(workers)
})

it('a number of workers is taken as it is, whatever the memory', () => {
  vi.mocked(process.constrainedMemory).mockReturnValue(gibibyte)
  expect(workersOf(configOf({ CANOPY_WORKERS: '12' }))).toBe(12)
})

it('a limit by memory is logged with its figures', () => {
  vi.mocked(process.constrainedMemory).mockReturnValue(2 * gibibyte)
  const { lines, log } = logged()
  logWorkers(configOf({}), log)
  expect(lines).toMatchObject([
    {
      workers: 2,
      processors: 8,
      memoryBytes: 2 * gibibyte,
      workerBytes: gibibyte,
      msg: 'fewer workers than processors because of the memory limit',
    },
  ])
})
