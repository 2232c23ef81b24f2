import { Envelope, Name, type StoragePath, Tree, U64, type Visibility } from '@canopy/domain'
import { busyFor, countTicks } from '@canopy/test-support'
import * as O from 'fp-ts/lib/Option.js'
import * as T from 'fp-ts/lib/Task.js'
import { describe, expect, it } from 'vitest'
import { type TreeChunk, treeBytes } from '../../src/bodies/tree.js'

const visibility: Visibility.NodeVisibility = { inherited: true, visibility: 'public' }

const nameOf = (text: string): Name.Name => O.getOrElseW((): never => expect.fail(text))(Name.fromString(text))

const filesOf = (count: number, name = 'file'): ReadonlyArray<Tree.Child> =>
  Array.from({ length: count }, (_, index) => ({
    type: 'file',
    name: nameOf(`${name} ${index}`),
    size: U64.clamp(BigInt(index)),
    last_modified: U64.clamp(1n),
    visibility,
  }))

const directory = <E>(name: string, children: T.Task<E>): Tree.Directory<E> => ({
  type: 'dir',
  name: name === '' ? '' : nameOf(name),
  visibility,
  children,
})

type Children = ReadonlyArray<Tree.Child | undefined>

const listed = (children: Children, admit: (count: number) => boolean = () => true): Tree.Listed => ({
  is: 'listed',
  children,
  most: children.length,
  admit: (count) => () => admit(count),
})

const holding = (name: string, ...children: ReadonlyArray<Children[number] | Children>) =>
  directory(name, T.of(listed(children.flat())))

const notExpanded = T.of<Tree.NotExpanded>({ is: 'not expanded' })
const vanished = T.of<Tree.Vanished>({ is: 'vanished' })

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
        directory('a', vanished),
        filesOf(1),
        directory('b', vanished),
        holding('c'),
        directory('d', vanished),
      ),
    ],
    ['a directory that is not expanded', holding('', directory('a', notExpanded), filesOf(1))],
    ['a directory that is not admitted', holding('', directory('a', T.of(listed(odd, () => false))), filesOf(1))],
    [
      'many directories',
      holding('', ...Array.from({ length: 100 }, (_, index) => holding(`${index}`, filesOf(30), odd))),
    ],
    ['what is shown alone', holding('', undefined, filesOf(1), undefined, holding('a', undefined), undefined)],
    ['a large directory', holding('', filesOf(2_000), undefined, holding('a'), filesOf(600), holding('b'))],
    ['nothing that is shown', holding('', undefined)],
  ]

  it.each(trees)('are those of the tree that the domain collects: %s', async (_, tree) => {
    expect(await written(tree)).toBe(await collected(tree))
  })

  it('admit each directory with the number of its children, in the order in which they are written', async () => {
    const counts: Array<number> = []
    const counted = (name: string, ...children: ReadonlyArray<Children[number] | Children>) =>
      directory(name, async () =>
        listed(children.flat(), (count) => {
          counts.push(count)
          return true
        }),
      )
    await written(
      counted(
        '',
        counted('a', filesOf(3), undefined, counted('b', filesOf(1_500), undefined)),
        counted('c'),
        undefined,
      ),
    )
    expect(counts).toEqual([2, 4, 1500, 0])
  })

  it.each([
    ['file', 9],
    ['\u00e9\u00e9\u00e9\u{10000}', 9],
    ['file', 3000],
    ['\u4e2d'.repeat(60), 700],
  ])('come in chunks of 64 KiB, and each tells its nodes: %s, %i in a row', async (name, inARow) => {
    const count = Math.ceil(10_000 / inARow)
    const tree = holding('', ...Array.from({ length: count }, (_, index) => holding(`${index}`, filesOf(inARow, name))))
    const chunks = await chunksOf(tree)
    const lengths = chunks.map(({ bytes }) => bytes.length)
    expect(chunks.length).toBeGreaterThan(5)
    expect(new Set(lengths.slice(0, -1))).toEqual(new Set([64 * 1024]))
    expect(lengths.at(-1)).toBeLessThanOrEqual(64 * 1024)
    expect(chunks.reduce((sum, { nodes }) => sum + nodes, 0)).toBe(1 + count * (1 + inARow))
  })

  it('leave by as much as is written, before a failure too, whatever stands between that is not shown', async () => {
    const files = filesOf(900, '\u4e2d'.repeat(60))
    const chunksBefore = async (children: Children): Promise<number> => {
      let count = 0
      const failing = directory('z', () => Promise.reject(new Error('a bug')))
      const take = async () => {
        for await (const _ of treeBytes(holding('', children, failing))) count += 1
      }
      await expect(take()).rejects.toThrow('a bug')
      return count
    }
    const whole = await chunksBefore(files)
    expect(whole).toBeGreaterThan(2)
    expect(await chunksBefore(files.flatMap((file) => [undefined, file, undefined]))).toBe(whole)
  })

  it('are those of an unexpanded directory where one cannot be read; each is reported, in their order', async () => {
    const locked = ['/a', '/b'].map((at) =>
      directory(
        at.slice(1),
        T.of<Tree.NotExpanded>({
          is: 'not expanded',
          unreadable: { path: at as StoragePath.StoragePath, cause: new Error('EACCES') },
        }),
      ),
    )
    const tree = holding('', ...locked, directory('c', notExpanded))
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

  it('let others in while a directory is counted of which nothing is shown', async () => {
    const slowly = {
      *[Symbol.iterator]() {
        for (let at = 0; at < 2_000; at += 1) {
          if (at % 100 === 0) busyFor(1)
          yield undefined
        }
      },
    }
    const tree = directory('', T.of<Tree.Listed>({ ...listed([]), children: slowly, most: 2_000 }))
    expect(await roundsWhile(tree)).toBeGreaterThan(3)
    expect(await written(tree)).toBe(await collected(tree))
  })
})
