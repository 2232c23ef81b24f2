import { Envelope, Name, type NodeVisibility, type StoragePath, Tree, type TreeNode, U64 } from '@canopy/domain'
import { busyFor, countTicks } from '@canopy/test-support'
import * as O from 'fp-ts/lib/Option.js'
import * as T from 'fp-ts/lib/Task.js'
import { describe, expect, it } from 'vitest'
import { type TreeChunk, treeBytes } from '../../src/answer/treeBytes.js'
import { expanded } from './expanded.js'

const visibility: NodeVisibility.NodeVisibility = { inherited: true, visibility: 'public' }

const nameOf = (text: string): Name.Name => O.getOrElseW((): never => expect.fail(text))(Name.fromString(text))

const filesOf = (count: number, name = 'file'): TreeNode.Files => ({
  type: 'files',
  files: Array.from({ length: count }, (_, index) => ({
    type: 'file',
    name: nameOf(`${name} ${index}`),
    size: U64.clamp(BigInt(index)),
    last_modified: U64.clamp(1n),
  })),
  visibility,
})

const directory = <E>(name: string, expand: E) =>
  ({ type: 'dir', name: name === '' ? '' : nameOf(name), visibility, expand }) as const

const holding = (name: string, ...children: ReadonlyArray<Tree.Child>): Tree.Root =>
  directory(name, T.of(expanded(children)))

const chunksOf = async (tree: Tree.Tree): Promise<ReadonlyArray<TreeChunk>> => {
  const chunks: Array<TreeChunk> = []
  for await (const chunk of treeBytes(tree)) chunks.push(chunk)
  return chunks
}

const written = async (tree: Tree.Tree): Promise<string> =>
  Buffer.concat((await chunksOf(tree)).map(({ bytes }) => bytes)).toString()

const collected = async (tree: Tree.Tree): Promise<string> => {
  return Envelope.treeJson(await Tree.collect(tree)())
}

describe('the bytes of a tree', () => {
  const odd = filesOf(20, '\u00e9\u{1f600}"')
  const trees: ReadonlyArray<readonly [string, Tree.Tree]> = [
    ['a file', { type: 'file', name: nameOf('f'), size: U64.zero, last_modified: U64.zero, visibility }],
    ['an empty directory', holding('')],
    [
      'files before, between and behind directories',
      holding('', filesOf(9), holding('a', odd), filesOf(2), holding('b'), filesOf(8)),
    ],
    [
      'what vanishes first, last and in between',
      holding(
        '',
        directory('a', T.of(Tree.vanished)),
        filesOf(1),
        directory('b', T.of(Tree.vanished)),
        holding('c'),
        directory('d', T.of(Tree.vanished)),
      ),
    ],
    ['a directory that is not expanded', holding('', directory('a', T.of(Tree.unexpanded)), filesOf(1))],
    [
      'many directories',
      holding('', ...Array.from({ length: 100 }, (_, index) => holding(`${index}`, filesOf(30), odd))),
    ],
    [
      'a directory that unfolds in batches, some of them empty',
      directory(
        '',
        T.of({
          is: 'expanded',
          count: 4,
          children: {
            is: 'some',
            items: [],
            rest: () => ({
              is: 'some',
              items: [filesOf(2), holding('a', filesOf(1))],
              rest: () => ({
                is: 'some',
                items: [],
                rest: () => ({ is: 'last', items: [holding('b')], end: undefined }),
              }),
            }),
          },
        }),
      ),
    ],
    [
      'a directory that unfolds in batches, several in a row empty',
      directory(
        '',
        T.of({
          is: 'expanded',
          count: 2,
          children: {
            is: 'some',
            items: [filesOf(1)],
            rest: () => ({
              is: 'some',
              items: [],
              rest: () => ({
                is: 'some',
                items: [],
                rest: () => ({ is: 'last', items: [filesOf(1)], end: undefined }),
              }),
            }),
          },
        }),
      ),
    ],
    ['nothing in batches', directory('', T.of(expanded([], 1)))],
    [
      'many directories in small batches',
      directory(
        '',
        T.of(
          expanded(
            Array.from({ length: 300 }, (_, index) => holding(`${index}`, odd)),
            7,
          ),
        ),
      ),
    ],
  ]

  it.each(trees)(
    'are those of the tree that the domain collects, the first time and when they are remembered: %s',
    async (_, tree) => {
      const text = await collected(tree)
      expect(await written(tree)).toBe(text)
      expect(await written(tree)).toBe(text)
    },
  )

  it('of files that are remembered are not made again', async () => {
    const files = filesOf(10)
    let looked = 0
    const watched: TreeNode.Files = {
      ...files,
      files: new Proxy(files.files, {
        get: (target, key, self) => {
          if (key === Symbol.iterator) looked += 1
          return Reflect.get(target, key, self)
        },
      }),
    }
    const first = await written(holding('', watched))
    expect([await written(holding('other', watched)), looked]).toEqual([
      first.replace('"name":""', '"name":"other"'),
      1,
    ])
  })

  it.each([
    ['file', 9],
    ['\u00e9\u00e9\u00e9\u{10000}', 9],
    ['file', 3000],
    ['\u4e2d'.repeat(60), 700],
  ])('come in chunks of 64 KiB, and each tells its nodes: %s, %i in a row', async (name, inARow) => {
    const count = Math.ceil(10_000 / inARow)
    const tree = holding('', ...Array.from({ length: count }, (_, index) => holding(`${index}`, filesOf(inARow, name))))
    // Once as they are made, and once as they are remembered.
    for (const _ of [1, 2]) {
      const chunks = await chunksOf(tree)
      const lengths = chunks.map(({ bytes }) => bytes.length)
      expect(chunks.length).toBeGreaterThan(5)
      expect(new Set(lengths.slice(0, -1))).toEqual(new Set([64 * 1024]))
      expect(lengths.at(-1)).toBeLessThanOrEqual(64 * 1024)
      expect(chunks.reduce((sum, { nodes }) => sum + nodes, 0)).toBe(1 + count * (1 + inARow))
    }
  })

  it('leave by as much as is written, before a failure too, however the files were put together', async () => {
    const name = '\u4e2d'.repeat(60)
    const chunksBefore = async (...runs: ReadonlyArray<TreeNode.Files>): Promise<number> => {
      let count = 0
      const failing = directory('z', () => Promise.reject(new Error('a bug')))
      const take = async () => {
        for await (const _ of treeBytes(holding('', ...runs, failing))) count += 1
      }
      await expect(take()).rejects.toThrow('a bug')
      return count
    }
    const whole = filesOf(900, name)
    const counts = [await chunksBefore(whole), await chunksBefore(whole)]
    for (const first of [1, 100, 512, 700])
      counts.push(await chunksBefore(filesOf(first, name), filesOf(900 - first, name)))
    expect(counts[0]).toBeGreaterThan(2)
    expect(new Set(counts).size).toBe(1)
  })

  it('are those of an unexpanded directory where one cannot be read; each is told of, in their order', async () => {
    const locked = ['/a', '/b'].map((at) =>
      directory(at.slice(1), T.of(Tree.unreadable(at as StoragePath.StoragePath, new Error('EACCES')))),
    )
    const tree = holding('', ...locked, directory('c', T.of(Tree.unexpanded)))
    const told: Array<string> = []
    const chunks: Array<Buffer> = []
    for await (const { bytes } of treeBytes(tree, ({ path }) => told.push(path))) chunks.push(bytes)
    expect([Buffer.concat(chunks).toString(), told]).toEqual([await collected(tree), ['/a', '/b']])
  })

  const roundsWhile = async (tree: Tree.Tree): Promise<number> => {
    const rounds = countTicks()
    await chunksOf(tree)
    rounds.stop()
    return rounds.count()
  }

  it('let others in while they are written', async () => {
    const tree = holding('', ...Array.from({ length: 200 }, () => filesOf(512)))
    expect(await roundsWhile(tree)).toBeGreaterThan(3)
  })

  it('let others in while a directory is decided on, however many steps that takes', async () => {
    const after = (steps: number): Tree.Expansion => ({
      is: 'undecided',
      decide: () => {
        busyFor(1)
        return steps === 0 ? expanded([filesOf(1)]) : after(steps - 1)
      },
    })
    const tree = directory('', T.of(after(40)))
    expect(await roundsWhile(tree)).toBeGreaterThan(3)
    expect(await written(tree)).toBe(await collected(tree))
  })
})
