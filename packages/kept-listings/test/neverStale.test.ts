import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type Entry, StoragePath } from '@canopy/domain'
import { fsNotices, type StorageRoot } from '@canopy/storage-fs'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, describe, expect, it } from 'vitest'
import type { Notices } from '../src/Notices.js'
import { type KeptArea, keptArea } from './keptArea.js'

const answers = Number(process.env['CANOPY_STALE_ANSWERS'] ?? 100_000)

/** Writes on a thread of its own: makes, renames, rewrites, touches and removes, and counts what it began and ended. */
const writer = `
const { workerData: { directory, counters, pauseEvery }, parentPort } = require('node:worker_threads')
const fs = require('node:fs')
const count = new Int32Array(counters)
const [BEGUN, ENDED, STOP] = [0, 1, 2]
const path = (name) => directory + '/' + name
for (let n = 1; Atomics.load(count, STOP) === 0; n += 1) {
  Atomics.store(count, BEGUN, n)
  switch (n % 5) {
    case 0: fs.renameSync(path('name ' + (n - 5)), path('name ' + n)); break
    case 1: fs.truncateSync(path('size'), n); break
    case 2: fs.utimesSync(path('time'), n, n); break
    case 3: fs.writeFileSync(path('made ' + n), ''); break
    case 4: fs.unlinkSync(path('made ' + (n - 1))); break
  }
  Atomics.store(count, ENDED, n)
  if (n % pauseEvery === 0) Atomics.wait(count, 3, 0, 2)
}
parentPort.postMessage('stopped')
`

/** What the directory shows after the writer's step n. */
const stateAfter = (n: number): string => {
  const last = (kind: number) => n - ((((n - kind) % 5) + 5) % 5)
  return JSON.stringify([
    ...(n % 5 === 3 ? [`made ${n}`] : []),
    `name ${last(0)}`,
    `size ${Math.max(0, last(1))}`,
    `time ${Math.max(0, last(2))}`,
  ])
}

const stateIn = ({ entries }: Entry.Listing): string =>
  JSON.stringify(
    entries.map((entry) =>
      entry.name === 'size' && entry.type === 'file'
        ? `size ${entry.size}`
        : entry.name === 'time'
          ? `time ${entry.last_modified}`
          : entry.name,
    ),
  )

const listed = async ({ ports, area }: KeptArea): Promise<string> => {
  const listing = await ports.list(area, StoragePath.root)()
  return E.isRight(listing) ? stateIn(listing.right) : listing.left.error
}

const file = (name: string) => ({ type: 'file', name, size: 0n, last_modified: 0n }) as const

const late = (root: StorageRoot.StorageRoot): Notices => {
  const notices = fsNotices(root)
  return {
    ...notices,
    watch: (area, path, changed) => notices.watch(area, path, (name) => void setTimeout(() => changed(name), 20)),
  }
}

/** On a busy machine the writer may come late: readers go on until it has done something. */
const hasWritten = (count: Int32Array): boolean => Atomics.load(count, 1) > 100

const foundOut = (_: Int32Array, violations: ReadonlyArray<string>): boolean => violations.length > 0

describe('kept listings, while a writer changes the directory', () => {
  const areas: Array<KeptArea> = []
  afterEach(() => Promise.all(areas.splice(0).map(({ close }) => close())))

  /** 64 readers ask so many times; how many answers are no state of the directory between asking and answering. */
  const violationsIn = async (
    ask: (area: KeptArea) => Promise<string>,
    wanted: number,
    notices: (root: StorageRoot.StorageRoot) => Notices = fsNotices,
    enough: (count: Int32Array, violations: ReadonlyArray<string>) => boolean = hasWritten,
  ) => {
    const area = await keptArea([file('name 0'), file('size'), file('time')], { notices })
    areas.push(area)
    const counters = new SharedArrayBuffer(16)
    const count = new Int32Array(counters)
    const worker = new Worker(writer, {
      eval: true,
      workerData: { directory: join(area.directory), counters, pauseEvery: 7 },
    })
    const violations: Array<string> = []
    let asked = 0
    const latest = performance.now() + 20_000
    const reader = async (): Promise<void> => {
      while (asked < wanted || (!enough(count, violations) && performance.now() < latest)) {
        asked += 1
        const before = Atomics.load(count, 1)
        const seen = await ask(area)
        const after = Atomics.load(count, 0)
        const states = Array.from({ length: after - before + 1 }, (_, index) => stateAfter(before + index))
        if (!states.includes(seen)) violations.push(`${seen} between ${before} and ${after}`)
      }
    }
    await Promise.all(Array.from({ length: 64 }, reader))
    Atomics.store(count, 2, 1)
    await new Promise((stopped) => worker.once('message', stopped))
    await worker.terminate()
    return { violations, kept: area.reads() < asked, steps: Atomics.load(count, 1) }
  }

  it(`give ${answers} answers, each a state that the directory had between question and answer`, async () => {
    const { violations, kept, steps } = await violationsIn(listed, answers)
    expect(violations.slice(0, 3)).toEqual([])
    expect([kept, steps > 50]).toEqual([true, true])
  }, 600_000)

  it('are compared with the truth: notices that come 20 ms late are found out', async () => {
    const { violations } = await violationsIn(listed, 20_000, late, foundOut)
    expect(violations.length).toBeGreaterThan(0)
  })
})
