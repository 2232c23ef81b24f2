import { Envelope, Failure, Name, type NodeVisibility, Tree, type TreeNode, U64 } from '@canopy/domain'
import { busyFor, countRounds } from '@canopy/testkit'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { type TreeChunk, treeBytes } from '../../src/answer/treeBytes.js'
import { WalkFailed } from '../../src/answer/WalkFailed.js'
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

const branch = (name: string, expand: Tree.Branch['expand']): Tree.Branch => ({
  type: 'dir',
  name: name === '' ? '' : nameOf(name),
  visibility,
  expand,
})

const holding = (name: string, ...children: ReadonlyArray<Tree.Child>): Tree.Branch =>
  branch(name, TE.right(expanded(children)))

const chunksOf = async (tree: Tree.Tree): Promise<ReadonlyArray<TreeChunk>> => {
  const chunks: Array<TreeChunk> = []
  for await (const chunk of treeBytes(tree)) chunks.push(chunk)
  return chunks
}

const written = async (tree: Tree.Tree): Promise<string> =>
  Buffer.concat((await chunksOf(tree)).map(({ bytes }) => bytes)).toString()

const collected = async (tree: Tree.Tree): Promise<string> => {
  const node = await Tree.collect(tree)()
  return node._tag === 'Right' && O.isSome(node.right) ? Envelope.treeJson(node.right.value) : expect.fail('no tree')
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
        branch('a', TE.right(Tree.vanished)),
        filesOf(1),
        branch('b', TE.right(Tree.vanished)),
        holding('c'),
        branch('d', TE.right(Tree.vanished)),
      ),
    ],
    ['a directory that is not expanded', holding('', branch('a', TE.right(Tree.unexpanded)), filesOf(1))],
    [
      'many directories',
      holding('', ...Array.from({ length: 100 }, (_, index) => holding(`${index}`, filesOf(30), odd))),
    ],
    [
      'a directory that unfolds in batches, some of them empty',
      branch(
        '',
        TE.right({
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
      branch(
        '',
        TE.right({
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
    ['nothing in batches', branch('', TE.right(expanded([], 1)))],
    [
      'many directories in small batches',
      branch(
        '',
        TE.right(
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
      const failing = branch('z', TE.left(Failure.external('EIO')))
      const take = async () => {
        for await (const _ of treeBytes(holding('', ...runs, failing))) count += 1
      }
      await expect(take()).rejects.toThrow(WalkFailed)
      return count
    }
    const whole = filesOf(900, name)
    const counts = [await chunksBefore(whole), await chunksBefore(whole)]
    for (const first of [1, 100, 512, 700])
      counts.push(await chunksBefore(filesOf(first, name), filesOf(900 - first, name)))
    expect(counts[0]).toBeGreaterThan(2)
    expect(new Set(counts).size).toBe(1)
  })

  it('end with the failure where the walk fails', async () => {
    const failure = Failure.external('EIO')
    await expect(written(holding('', branch('a', TE.left(failure))))).rejects.toEqual(new WalkFailed(failure))
    await expect(written(branch('', TE.right(Tree.vanished)))).rejects.toEqual(new WalkFailed(Failure.fileNotFound))
  })

  const roundsWhile = async (tree: Tree.Tree): Promise<number> => {
    const rounds = countRounds()
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
    const tree = branch('', TE.right(after(40)))
    expect(await roundsWhile(tree)).toBeGreaterThan(3)
    expect(await written(tree)).toBe(await collected(tree))
  })
})
