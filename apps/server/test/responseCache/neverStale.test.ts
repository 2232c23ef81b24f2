import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ChangeEvents, cachedListings, changeEvents, fsStorage, StorageRoot } from '@canopy/storage-fs'
import {
  beforeChanges,
  keepAliveConnection,
  type ListedFile,
  type Readers,
  runs,
  staleAnswers,
  worldWith,
} from '@canopy/test-support'
import { memoryRegistry, removeDirectory, seedDirectory } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, describe, expect, it } from 'vitest'
import { logged, steadyPorts } from '../inProcess.js'
import { startApp } from '../startApp.js'

const answers = runs(10_000, 1_000_000)

const world = worldWith()

const target = '/api/usercontent/v1/diritems/id/1'

interface Item {
  readonly name: string
  readonly size: number
  readonly last_modified: number
}

const filesIn = (body: string): ReadonlyArray<ListedFile> | undefined => {
  const { content }: { content?: ReadonlyArray<Item> } = JSON.parse(body)
  return content?.map(({ name, size, last_modified }) => ({
    name,
    size: BigInt(size),
    last_modified: BigInt(last_modified),
  }))
}

const later =
  (ms: number) =>
  (root: StorageRoot.StorageRoot): ChangeEvents => {
    const { watch, ...others } = changeEvents(root)
    return {
      ...others,
      watch: (area, path, changed) => watch(area, path, (name) => void setTimeout(changed, ms, name)),
    }
  }

describe('answers over HTTP, while a writer changes the directory', () => {
  const ends: Array<() => Promise<unknown>> = []
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })

  /** 64 connections ask for the same listing. */
  const asking = async (readers: Omit<Readers, 'ask'>, eventsOf: (root: StorageRoot.StorageRoot) => ChangeEvents) => {
    const home = await mkdtemp(join(tmpdir(), 'canopy-stale-'))
    ends.push(() => removeDirectory(home))
    await seedDirectory(join(home, '1'), beforeChanges)
    const root = E.getOrElse((problem: string): StorageRoot.StorageRoot => expect.fail(problem))(
      StorageRoot.fromText('/')(`file:${home}`),
    )
    const { ports } = steadyPorts(world)
    const storage = cachedListings(fsStorage(root), eventsOf(root), 1 << 24)
    const { lines, log } = logged('error')
    const { port, stop } = await startApp({ ...memoryRegistry(world), ...ports, ...storage }, { log })
    ends.push(() => stop())
    const connections = await Promise.all(Array.from({ length: 64 }, () => keepAliveConnection(port)))
    ends.push(async () => {
      for (const { close } of connections) close()
    })
    const ask = connections.map(({ send }) => async () => {
      const [answer] = await send([{ method: 'GET', target }])
      return filesIn(String(answer?.body)) ?? expect.fail(`no listing: ${JSON.stringify(lines.at(-1))}`)
    })
    return staleAnswers(join(home, '1'), { ask, ...readers })
  }

  it(`give ${answers} answers, each a state that the directory had between request and answer`, async () => {
    const { violations, steps } = await asking({ answers }, changeEvents)
    expect(violations.slice(0, 3)).toEqual([])
    expect(steps).toBeGreaterThan(answers / 200)
  }, 3_600_000)

  it('are compared with the truth: events that come 20 ms late are found out', async () => {
    const { violations } = await asking({ answers: 2_000, enough: (sofar) => sofar.violations.length > 0 }, later(20))
    expect(violations.length).toBeGreaterThan(0)
  })
})
