import { Worker } from 'node:worker_threads'
import { file, type WorldNode } from '@canopy/testkit'

// A writer thread changes a directory in known steps, so that every listing can be dated.

/** Names repeat after this many steps: the kernel remembers every name, and watches a directory of many slowly. */
const names = 996

const writer = `
const { workerData: { directory, counters, names }, parentPort } = require('node:worker_threads')
const fs = require('node:fs')
const count = new Int32Array(counters)
const [BEGUN, ENDED, STOP, NEVER] = [0, 1, 2, 3]
const path = (kind, n) => directory + '/' + kind + ' ' + n % names
for (let n = 1; Atomics.load(count, STOP) === 0; n += 1) {
  Atomics.store(count, BEGUN, n)
  switch (n % 6) {
    case 0: fs.renameSync(path('name', n - 6), path('name', n)); break
    case 1: fs.truncateSync(directory + '/size', n); break
    case 2: fs.utimesSync(directory + '/time', n, n); break
    case 3: fs.writeFileSync(path('made', n), ''); break
    case 4: fs.chmodSync(directory + '/size', n % 12 === 4 ? 0o600 : 0o640); break
    case 5: fs.unlinkSync(path('made', n - 2)); break
  }
  Atomics.store(count, ENDED, n)
  if (n % 7 === 0) Atomics.wait(count, NEVER, 0, 2)
}
parentPort.postMessage('stopped')
`

export interface ListedFile {
  readonly name: string
  readonly size: bigint
  readonly last_modified: bigint
}

/** The initial files. */
export const beforeChanges: ReadonlyArray<WorldNode> = ['name 0', 'size', 'time'].map((name) => file(name, 0, 0))

/** The directory after step n. */
const stateAfter = (n: number): string => {
  const last = (kind: number) => Math.max(0, n - ((((n - kind) % 6) + 6) % 6))
  const isMade = n % 6 === 3 || n % 6 === 4
  return JSON.stringify([
    ...(isMade ? [`made ${last(3) % names}`] : []),
    `name ${last(0) % names}`,
    `size ${last(1)}`,
    `time ${last(2)}`,
  ])
}

const stateIn = (files: ReadonlyArray<ListedFile>): string =>
  JSON.stringify(
    files.map(({ name, size, last_modified }) =>
      name === 'size' ? `size ${size}` : name === 'time' ? `time ${last_modified}` : name,
    ),
  )

export interface StaleAnswers {
  readonly answers: number
  readonly steps: number
  /** Listings that were no state between request and response. */
  readonly violations: ReadonlyArray<string>
}

export interface Readers {
  /** Lists the files, for each reader. */
  readonly ask: ReadonlyArray<() => Promise<ReadonlyArray<ListedFile>>>
  /** Lower bound of requests. */
  readonly answers: number
  /** Readers also continue until then: on a busy machine the writer may come late. */
  readonly enough?: (sofar: Omit<StaleAnswers, 'answers'>) => boolean
}

const wrote = ({ steps }: Pick<StaleAnswers, 'steps'>): boolean => steps > 100

const longestMs = 20_000

/** Lists a directory of {@link beforeChanges} while the writer changes it. */
export const staleAnswers = async (directory: string, { ask, answers, enough = wrote }: Readers) => {
  const counters = new SharedArrayBuffer(16)
  const count = new Int32Array(counters)
  const begun = () => Atomics.load(count, 0)
  const ended = () => Atomics.load(count, 1)
  const worker = new Worker(writer, { eval: true, workerData: { directory, counters, names } })
  const failed = new Promise<never>((_, reject) => worker.once('error', reject))
  const stopped = new Promise((resolve) => worker.once('message', resolve))
  const violations: Array<string> = []
  const latest = performance.now() + longestMs
  let asked = 0

  const read = async (once: Readers['ask'][number]): Promise<void> => {
    while (asked < answers || (!enough({ steps: ended(), violations }) && performance.now() < latest)) {
      asked += 1
      const before = ended()
      const seen = stateIn(await once())
      const after = begun()
      let step = before
      while (step <= after && stateAfter(step) !== seen) step += 1
      if (step > after) violations.push(`${seen} between ${before} and ${after}`)
    }
  }

  await Promise.race([Promise.all(ask.map(read)), failed])
  Atomics.store(count, 2, 1)
  await Promise.race([stopped, failed])
  await worker.terminate()
  return { answers: asked, steps: ended(), violations }
}
