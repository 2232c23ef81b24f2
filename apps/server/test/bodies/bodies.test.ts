import { type Failure, type Name, StoragePath, type Tree, U64 } from '@canopy/domain'
import { busyFor, countTicks } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import { listingBody } from '../../src/bodies/listing.js'
import { readAhead } from '../../src/bodies/readAhead.js'
import { treePieces } from '../../src/bodies/tree.js'

const visibility = { inherited: true, visibility: 'public' } as const

/** Hidden children that take a millisecond for each hundred. */
function* slowly(count = 2_000, look: () => unknown = () => undefined): Generator<undefined, void> {
  for (let at = 0; at < count; at += 1) {
    if (at % 100 === 0) busyFor(1)
    look()
    yield undefined
  }
}

it.each([
  ['beside others if it is small', 4096, expect.arrayContaining(['a', 'b', 'a'])],
  ['after others if it is large', 4097, ['a', 'b']],
])('the body of a listing is written %s', async (_, most, order) => {
  const made: Array<string> = []
  const madeFor = (name: string) => slowly(600, () => made.push(name))
  const items = { maxItems: most, limit: O.some(most), isPaged: false, next: O.none }
  await Promise.all(['a', 'b'].map((name) => listingBody({ ...items, items: madeFor(name) })))
  expect(made.filter((name, at) => name !== made[at - 1])).toEqual(order)
})

const filesOf = (count: number): ReadonlyArray<Tree.Child> =>
  Array.from({ length: count }, (_, index) => ({
    type: 'file',
    name: `file ${index}` as Name.Name,
    size: U64.zero,
    last_modified: U64.zero,
    visibility,
  }))

const listed = (children: Iterable<Tree.Child | undefined>, maxChildren: number): Tree.Listed => ({
  is: 'listed',
  children,
  maxChildren,
  admit: () => () => true,
})

const directory = (children: TE.TaskEither<Failure.OfAccess, Tree.Listed>): Tree.Directory<Tree.Listed> => ({
  type: 'dir',
  name: '',
  path: StoragePath.root,
  last_modified: U64.zero,
  visibility,
  wasSent: false,
  children,
})

const write = async (children: Iterable<Tree.Child | undefined>, count: number, signal?: AbortSignal) => {
  for await (const _ of treePieces(directory(TE.right(listed(children, count))), { signal }));
}

it.each([
  ['writes visible children', 100_000, filesOf(100_000)],
  ['counts hidden children', 2_000, slowly()],
])('the writer of a tree yields to the event loop while it %s', async (_, count, children) => {
  const ticks = countTicks()
  await write(children, count)
  ticks.stop()
  expect(ticks.count()).toBeGreaterThan(3)
})

it('the writers of all trees share their time in one tick', async () => {
  const { count, stop } = countTicks()
  const looksByTick = new Map<number, number>()
  const look = () => looksByTick.set(count(), (looksByTick.get(count()) ?? 0) + 1)
  const trees: Array<Promise<unknown>> = []
  while (trees.length < 40) {
    trees.push(write(slowly(600, look), 600))
    // Within the tick, and after the first stretch of this one.
    for (let turns = 0; turns < 20; turns += 1) await Promise.resolve()
  }
  await Promise.all(trees)
  stop()
  expect(Math.max(...looksByTick.values())).toBeLessThan(40 * 100)
})

it('the writer of a tree stops counting when its client has left', async () => {
  const controller = new AbortController()
  let looks = 0
  const look = () => {
    looks += 1
    if (looks === 500) controller.abort(new Error('gone'))
  }
  await expect(write(slowly(2_000, look), 2_000, controller.signal)).rejects.toThrow('gone')
  expect(looks).toBeLessThan(2_000)
})

/** Directories that record the order of their reading. */
const walkOf = (count: number, nodesIn: (index: number) => number, between = 0) => {
  const begun: Array<number> = []
  const directories = Array.from({ length: count }, (_, index) =>
    directory(() => {
      begun.push(index)
      return Promise.resolve(E.right(listed([], nodesIn(index))))
    }),
  )
  const files = filesOf(between)
  const children = readAhead([...filesOf(1), ...directories.flatMap((each) => [each, ...files]), undefined])
  return {
    begun: () => begun.length,
    inOrder: () => begun.every((index, at) => index === at),
    next: async () => {
      for (let { done, value } = children.next(); done !== true; { done, value } = children.next())
        if (value?.type === 'dir') return value.children()
      return undefined
    },
    rest: () => [...children],
  }
}

it('reading ahead starts with few directories, and with many once they are small', async () => {
  const { begun, inOrder, next, rest } = walkOf(200, () => 99)
  await next()
  expect(begun()).toBeLessThan(10)
  await next()
  await next()
  expect(begun()).toBeGreaterThan(50)
  rest()
  expect([begun(), inOrder()]).toEqual([200, true])
})

it('directories are read one by one after a large one', async () => {
  const { begun, next } = walkOf(100, (index) => (index === 0 ? 100_000 : 1))
  for (let index = 0; index < 20; index += 1) await next()
  expect(begun()).toBe(20)
})

it('reading ahead looks at some hundred files at most', async () => {
  const { begun, next } = walkOf(1000, () => 1, 100)
  for (let index = 0; index < 5; index += 1) await next()
  expect(begun()).toBeLessThan(5 + 4)
})
