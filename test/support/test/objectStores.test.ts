import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Area, type Entry, Listing, StoragePath, U64, type UserId } from '@canopy/domain'
import { dir, file, type StoragePorts } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { asSeeded } from '../src/asSeeded.js'
import type { SeededObjects } from '../src/seedObjects.js'
import { storesToTest } from '../src/storesToTest.js'

/** Processes of this machine whose command line or environment names a directory. */
const processesOf = (home: string): ReadonlyArray<string> =>
  readdirSync('/proc').filter((id) => {
    try {
      return ['cmdline', 'environ'].some((file) => readFileSync(join('/proc', id, file)).includes(home))
    } catch {
      return false
    }
  })

const stores = storesToTest(process.env, 'The support for tests of object stores')

// That one breaks on demand is seen where the adapter is tested.
describe.each(stores)('$name of a test', ({ start }) => {
  it('leaves nothing behind when it is stopped', { timeout: 120_000 }, async () => {
    const store = await start()
    expect(processesOf(store.home)).not.toEqual([])
    await store.stop()
    expect(processesOf(store.home)).toEqual([])
    expect(existsSync(store.home)).toBe(false)
  })
})

describe('answers as seeded', () => {
  const seeded: SeededObjects = {
    nodes: [file('f', 7_002, 3), { ...dir('d'), last_modified: 4n }],
    from: 100n,
    to: 110n,
  }
  const area: Area.Area = { owner: 1n as UserId.UserId, location: Area.location('1') }
  const at = (path: string) => path as StoragePath.StoragePath
  const u64 = U64.clamp
  const storing = (node: Entry.Node) =>
    asSeeded<StoragePorts>(new Map([['1', seeded]]), {
      nodeAt: () => TE.right(node),
      list: () => TE.right(Listing.noParent),
    })

  it.each<[string, Entry.Node, Entry.Node]>([
    [
      '/f',
      { type: 'file', size: u64(2n), last_modified: u64(105n) },
      { type: 'file', size: u64(7_002n), last_modified: u64(3n) },
    ],
    ['/d', { type: 'dir', last_modified: u64(0n) }, { type: 'dir', last_modified: u64(4n) }],
  ])('have the size and the time of the world: %s', async (path, stored, answer) => {
    expect(await storing(stored).nodeAt(area, at(path))()).toEqual(E.right(answer))
  })

  it.each<[string, string, Entry.Node]>([
    ['another size', '/f', { type: 'file', size: u64(3n), last_modified: u64(105n) }],
    ['a time before', '/f', { type: 'file', size: u64(2n), last_modified: u64(99n) }],
    ['a time after', '/f', { type: 'file', size: u64(2n), last_modified: u64(112n) }],
    ['another type', '/f', { type: 'dir', last_modified: u64(0n) }],
    ['a directory with a time', '/d', { type: 'dir', last_modified: u64(1n) }],
    ['what was not seeded', '/x', { type: 'file', size: u64(2n), last_modified: u64(105n) }],
  ])('stay wrong where the store is wrong: %s', async (_, path, wrong) => {
    expect(await storing(wrong).nodeAt(area, at(path))()).toEqual(E.right(wrong))
  })

  it('hand the adapter its own listing as the parent, and pass on the signal', async () => {
    const own: Listing.Listing = { entries: [], unlistable: 0 }
    const asked: Array<unknown> = []
    const { list } = asSeeded<StoragePorts>(new Map(), {
      nodeAt: () => TE.right({ type: 'dir', last_modified: U64.zero }),
      list: (_, __, options) => {
        asked.push(options?.parent, options?.signal)
        return TE.right(own)
      },
    })
    const { signal } = new AbortController()
    const root = await list(area, StoragePath.root, { parent: Listing.noParent })()
    if (E.isRight(root)) await list(area, at('/d'), { parent: root.right, signal })()
    expect(asked[0]).toBe(Listing.noParent)
    expect(asked[2]).toBe(own)
    expect(asked[3]).toBe(signal)
  })
})
