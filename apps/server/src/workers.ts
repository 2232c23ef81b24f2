import { readFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from './config.js'

/** `CANOPY_WORKERS=auto` starts one worker for each processor, bounded by memory. */
export const workersOf = (config: Config): number =>
  config.workers === 'auto'
    ? Math.max(1, Math.min(processors(), Math.floor(memoryBytes() / workerBytes(config))))
    : config.workers

/** Without this line an operator would look for a processor quota. */
export const logWorkers = (config: Config, log: Logger): void => {
  const workers = workersOf(config)
  if (config.workers !== 'auto' || workers === processors()) return
  const figures = { workers, processors: processors(), memoryBytes: memoryBytes(), workerBytes: workerBytes(config) }
  log.info(figures, 'fewer workers than processors because of the memory limit')
}

/** Node 20 counts the processors of the machine, beyond the quota of a container or a unit. */
const processors = (): number => Math.min(availableParallelism(), cgroupQuota())

const cgroupQuota = (): number => {
  try {
    const [, group = ''] = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8')) ?? []
    const cpuMax = readFileSync(join('/sys/fs/cgroup', group, 'cpu.max'), 'utf8')
    // Both in microseconds; `time` is `max` without a quota.
    const [time = Number.NaN, period = Number.NaN] = cpuMax.split(' ').map(Number)
    return Math.ceil(time / period) || Infinity
  } catch {
    return Infinity
  }
}

/** Node returns the limit of the cgroup as 0 if it finds no cgroup, and as 2^64 if the cgroup has no limit. */
const memoryBytes = (): number => Math.min(totalmem(), process.constrainedMemory() || Infinity)

const mebibyte = 2 ** 20

/** Code, heap, buffers and readers of one worker: docs/limits.md has the parts. */
const fixedBytes = 640 * mebibyte

/** Planned for `CANOPY_UNREAD_BYTES=0`, which has no limit: its default. */
const unboundedUnreadBytes = 128 * mebibyte

/** Planned for one worker and its readers: 1 GiB at the default bounds. */
const workerBytes = ({ cacheBytes, unreadBytes }: Config): number =>
  fixedBytes + cacheBytes + (unreadBytes || unboundedUnreadBytes)
