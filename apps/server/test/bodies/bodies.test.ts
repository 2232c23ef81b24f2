import { finished } from 'node:stream/promises'
import { Envelope, type Failure, type Items, Name, StoragePath, Tree, U64 } from '@canopy/domain'
import { busyFor, countTicks } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { type ListingBody, listingBody } from '../../src/bodies/listing.js'
import { readAhead } from '../../src/bodies/readAhead.js'
import { treeBody, treePieces } from '../../src/bodies/tree.js'

const nameOf = (text: string): Name.Name => O.getOrElseW((): never => expect.fail(text))(Name.fromString(text))

const right = <A>(result: E.Either<Failure.Failure, A>): A =>
  E.getOrElseW(({ error }: Failure.Failure): never => expect.fail(error))(result)

const visibility = { inherited: true, visibility: 'public' } as const

/** Hidden children that take a millisecond for each hundred. */
function* slowly(count = 2_000): Generator<undefined, void> {
  for (let at = 0; at < count; at += 1) {
    if (at % 100 === 0) busyFor(1)
    yield undefined
  }
}

const ticksOf = async (work: () => Promise<unknown>): Promise<number> => {
  const { count, stop } = countTicks()
  await work()
  stop()
  return count()
}

const item = (name: string): Items.DirectoryItem => ({
  visibility,
  is_file: true,
  name: nameOf(name),
  last_modified: U64.zero,
  size: U64.zero,
})

/** The parts of a listing that is sent in one piece. */
const inOnePiece = ({ body, ...others }: ListingBody) =>
  body.is === 'bytes' ? { ...others, body } : expect.fail('the listing is a stream')

describe('the body of a listing', () => {
  /** The body of one page that holds everything. */
  const bodyOf = async (items: Iterable<Items.DirectoryItem | undefined>, limit: number) =>
    inOnePiece(right(await listingBody({ items, maxItems: limit, limit: O.some(limit), isPaged: false, next: O.none })))

  const many = Array.from({ length: 1000 }, (_, index) => `\u00e9 ${index}`)

  it.each<readonly [string, ReadonlyArray<string | undefined>, number, ReadonlyArray<string>, boolean]>([
    ['all items', ['a', 'b'], 2, ['a', 'b'], false],
    ['many items', many, 1000, many, false],
    ['a page', ['a', 'b'], 1, ['a'], true],
    ['nothing', [], 0, [], false],
    ['visible items', [undefined, 'a', undefined], 3, ['a'], false],
    ['the last visible item', ['a', undefined, undefined], 1, ['a'], false],
    ['one of two visible items', [undefined, 'a', undefined, 'b'], 1, ['a'], true],
  ])('holds %s', async (_, all, most, names, more) => {
    const items = all.map((name) => (name === undefined ? undefined : item(name)))
    const written = await bodyOf(items, most)
    const { content } = JSON.parse(String(written.body.bytes))
    expect(content.map(({ name }: { readonly name: string }) => name)).toEqual(names)
    expect([written.body.nodes, written.more, O.toUndefined(written.last)]).toEqual([names.length, more, names.at(-1)])
  })

  it.each([
    ['beside others if it is small', 4096, expect.arrayContaining(['a', 'b', 'a'])],
    ['after others if it is large', 4097, ['a', 'b']],
  ])('is written %s', async (_, most, order) => {
    const made: Array<string> = []
    function* madeFor(name: string) {
      for (const none of slowly(600)) {
        made.push(name)
        yield none
      }
    }
    await Promise.all(['a', 'b'].map((name) => bodyOf(madeFor(name), most)))
    expect(made.filter((name, at) => name !== made[at - 1])).toEqual(order)
  })
})

type Children = ReadonlyArray<Tree.Child | undefined>

const filesOf = (count: number, name = 'file'): ReadonlyArray<Tree.Child> =>
  Array.from({ length: count }, (_, index) => ({
    type: 'file',
    name: nameOf(`${name} ${index}`),
    size: U64.clamp(BigInt(index)),
    last_modified: U64.clamp(1n),
    visibility,
  }))

const directory = <E>(name: string, children: TE.TaskEither<Failure.OfAccess, E>): Tree.Directory<E> => ({
  type: 'dir',
  name: name === '' ? '' : nameOf(name),
  // Only lines show these.
  path: StoragePath.root,
  last_modified: U64.zero,
  visibility,
  children,
})

const listed = (
  children: Iterable<Tree.Child | undefined>,
  most: number,
  admit: (count: number) => boolean = () => true,
): Tree.Listed => ({
  is: 'listed',
  children,
  maxChildren: most,
  admit: (count) => () => admit(count),
})

const holding = (name: string, ...children: ReadonlyArray<Children[number] | Children>) =>
  directory(name, TE.right(listed(children.flat(), children.flat().length)))

const notExpanded = TE.of<Failure.OfAccess, Tree.NotExpanded>({ is: 'not expanded' })
const vanished = TE.of<Failure.OfAccess, Tree.Vanished>({ is: 'vanished' })

describe('the bytes of a tree', () => {
  const chunksOf = async (...asked: Parameters<typeof treePieces>) => {
    const chunks = []
    for await (const chunk of treePieces(...asked)) chunks.push(chunk)
    return chunks
  }
  const written = async (...asked: Parameters<typeof treePieces>) =>
    Buffer.concat((await chunksOf(...asked)).map(({ bytes }) => bytes)).toString()
  const collected = async (tree: Tree.Tree) => Envelope.treeJson(right(await Tree.collect(tree)()))

  const odd = filesOf(20, '\u00e9\u{1f600}"')
  const escaped = '\u0001'.repeat(240)
  const deep = (level: number): ReturnType<typeof holding> =>
    holding(escaped, filesOf(1, escaped), ...(level === 0 ? [] : [deep(level - 1)]), filesOf(level % 2))

  it.each<readonly [string, Tree.Tree]>([
    [
      'a file',
      { type: 'file', name: nameOf('f'), path: StoragePath.root, size: U64.zero, last_modified: U64.zero, visibility },
    ],
    ['an empty directory', holding('')],
    ['files around directories', holding('', filesOf(9), holding('a', odd), filesOf(2), holding('b'), filesOf(8))],
    [
      'vanished directories',
      holding(
        '',
        directory('a', vanished),
        filesOf(1),
        directory('b', vanished),
        holding('c'),
        directory('d', vanished),
      ),
    ],
    ['a directory that is not expanded', holding('', directory('a', notExpanded), filesOf(1))],
    ['one that is not admitted', holding('', directory('a', TE.right(listed(odd, 20, () => false))), filesOf(1))],
    ['many directories', holding('', ...Array.from({ length: 100 }, (_, at) => holding(`${at}`, filesOf(30), odd)))],
    ['visible children', holding('', undefined, filesOf(1), undefined, holding('a', undefined), undefined)],
    ['a large directory', holding('', filesOf(2_000), undefined, holding('a'), filesOf(600), holding('b'))],
    ['the longest names in 255 levels', holding('', deep(254))],
    ['the longest characters', holding('', filesOf(2_000, '\u4e2d'.repeat(80)))],
  ])('equal the tree that the domain collects: %s', async (_, tree) => {
    expect(await written(tree)).toBe(await collected(tree))
  })

  it('admits directories in the order of the tree, each with its visible children', async () => {
    const counts: Array<number> = []
    const counted = (name: string, ...children: ReadonlyArray<Children[number] | Children>) =>
      directory(name, TE.right(listed(children.flat(), children.flat().length, (count) => counts.push(count) > 0)))
    const [a, b] = [counted('a', filesOf(3), undefined, counted('b', filesOf(1_500), undefined)), counted('c')]
    await written(counted('', a, b, undefined))
    expect(counts).toEqual([2, 4, 1500, 0])
  })

  it.each([
    ['\u00e9\u00e9\u00e9\u{10000}', 9],
    ['file', 3000],
    ['\u4e2d'.repeat(60), 700],
  ])('comes in chunks of 64 KiB, and counts its nodes: %s, %i in a row', async (name, inARow) => {
    const count = Math.ceil(10_000 / inARow)
    const tree = holding('', ...Array.from({ length: count }, (_, index) => holding(`${index}`, filesOf(inARow, name))))
    let nodes = 0
    const wroteNodes = (more: number): void => {
      nodes += more
    }
    const body = right(await treeBody(tree, { wroteNodes }))
    const chunks: Array<Buffer> = []
    if (body.is === 'stream') await finished(body.stream.on('data', (chunk) => chunks.push(chunk)))
    const lengths = chunks.map(({ length }) => length)
    expect(chunks.length).toBeGreaterThan(5)
    expect(new Set(lengths.slice(0, -1))).toEqual(new Set([64 * 1024]))
    expect(lengths.at(-1)).toBeLessThanOrEqual(64 * 1024)
    expect(nodes).toBe(1 + count * (1 + inARow))
  })

  it.each([
    ['writes visible children', () => holding('', ...Array.from({ length: 200 }, () => filesOf(512)))],
    ['counts hidden children', () => directory('', TE.right(listed(slowly(), 2_000)))],
  ])('yields to the event loop while it %s', async (_, tree) => {
    expect(await ticksOf(() => chunksOf(tree()))).toBeGreaterThan(3)
  })

  it('shares its time in one tick with all trees', async () => {
    const { count, stop } = countTicks()
    const looksByTick = new Map<number, number>()
    function* watched() {
      for (const none of slowly(600)) {
        looksByTick.set(count(), (looksByTick.get(count()) ?? 0) + 1)
        yield none
      }
    }
    const trees: Array<Promise<unknown>> = []
    while (trees.length < 40) {
      trees.push(chunksOf(directory('', TE.right(listed(watched(), 600)))))
      // Within the tick, and after the first stretch of this one.
      for (let turns = 0; turns < 20; turns += 1) await Promise.resolve()
    }
    await Promise.all(trees)
    stop()
    expect(Math.max(...looksByTick.values())).toBeLessThan(40 * 100)
  })

  it('stops counting when its client has left', async () => {
    const controller = new AbortController()
    let looks = 0
    function* watched() {
      for (const none of slowly()) {
        looks += 1
        if (looks === 500) controller.abort(new Error('gone'))
        yield none
      }
    }
    const asked = chunksOf(directory('', TE.right(listed(watched(), 2_000))), { signal: controller.signal })
    await expect(asked).rejects.toThrow('gone')
    expect(looks).toBeLessThan(2_000)
  })
})

describe('reading ahead of the writer', () => {
  /** Directories that record the order of their reading. */
  const walkOf = (count: number, nodesIn: (index: number) => number, between = 0) => {
    const begun: Array<number> = []
    const directories = Array.from({ length: count }, (_, index) =>
      directory('', () => {
        begun.push(index)
        return Promise.resolve(E.right(listed([], nodesIn(index))))
      }),
    )
    const files = filesOf(between)
    const children = readAhead([...filesOf(1), ...directories.flatMap((each) => [each, ...files]), undefined])
    return {
      begun: () => begun.length,
      inOrder: () => begun.every((index, at) => index === at),
      /** Advances to the next directory and reads its children. */
      next: async () => {
        for (let { done, value } = children.next(); done !== true; { done, value } = children.next())
          if (value?.type === 'dir') return value.children()
        return undefined
      },
      rest: () => [...children],
    }
  }

  it('starts with few directories, and reads many ahead once they are small', async () => {
    const { begun, inOrder, next, rest } = walkOf(200, () => 99)
    await next()
    expect(begun()).toBeLessThan(10)
    await next()
    await next()
    expect(begun()).toBeGreaterThan(50)
    rest()
    expect([begun(), inOrder()]).toEqual([200, true])
  })

  it('reads one by one after a large directory', async () => {
    const { begun, next } = walkOf(100, (index) => (index === 0 ? 100_000 : 1))
    for (let index = 0; index < 20; index += 1) await next()
    expect(begun()).toBe(20)
  })

  it('looks at most some hundred files ahead', async () => {
    const { begun, next } = walkOf(1000, () => 1, 100)
    for (let index = 0; index < 5; index += 1) await next()
    expect(begun()).toBeLessThan(5 + 4)
  })
})
