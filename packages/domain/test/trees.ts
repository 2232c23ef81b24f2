import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect } from 'vitest'
import { locate, pathsOf, place, worldAccount } from '../../testkit/src/arbitraries/worlds.js'
import type { ListEnv, NodeAtEnv } from '../src/ports.js'
import * as Settings from '../src/Settings.js'
import * as Tree from '../src/Tree.js'
import type { TreeNode } from '../src/TreeNode.js'
import { treeAt } from '../src/treeAt.js'
import * as View from '../src/View.js'
import { area, nodesOf, pageSizes, requestFor, settingsOf, storageOf, succeeded } from './support.js'

export const owner = View.ofOwner(area, Settings.none)

export const collected = (at: string, bounds: Tree.Bounds, view: View.View, storage: NodeAtEnv & ListEnv) =>
  pipe(treeAt(bounds)(requestFor(view, at))(storage), TE.flatMap(Tree.collect))()

export const childrenOfRoot = async (view: View.View, bounds: Tree.Bounds, storage: NodeAtEnv & ListEnv) => {
  const tree = await treeAt(bounds)(requestFor(view, '/'))(storage)()
  const root = E.isRight(tree) && tree.right.type === 'dir' ? await tree.right.children() : undefined
  if (root === undefined || E.isLeft(root) || root.right.is !== 'listed') return expect.fail('no tree')
  const children = [...root.right.children].filter((child) => child !== undefined)
  root.right.admit(children.length)()
  return children
}

export const expanded = async (node: Tree.Child | undefined) =>
  node?.type === 'dir' ? node.children() : expect.fail('no directory')

export const bounds = (fields: Parameters<typeof Tree.bounds>[0]): Tree.Bounds => succeeded(Tree.bounds(fields))

export const depth = (levels: number): Tree.Bounds => bounds({ depth: levels })
export const budget = (nodes: number): Tree.Bounds => bounds({ nodes })

export interface Placed {
  readonly path: string
  readonly level: number
  readonly node: TreeNode
}

export const childrenOf = (node: TreeNode): ReadonlyArray<TreeNode> => (node.type === 'dir' ? (node.content ?? []) : [])

export const flat = (node: TreeNode, at: string, level = 0): ReadonlyArray<Placed> => [
  { path: at, level, node },
  ...childrenOf(node).flatMap((child) => flat(child, `${at === '/' ? '' : at}/${child.name}`, level + 1)),
]

export const alone = (node: TreeNode | undefined) => ({ ...node, content: undefined })

export const contentOf = (node: TreeNode | undefined) =>
  node?.type === 'dir' && node.content !== undefined ? names(node.content) : 'not expanded'

export const names = (nodes: ReadonlyArray<TreeNode>) => nodes.map(({ name }) => name)

/** A node of any world, or its root, a client and a page size. */
export const cases = fc
  .record({
    account: worldAccount(),
    at: fc.option(place),
    asOwner: fc.boolean(),
    pageEntries: fc.constantFrom(...pageSizes),
  })
  .map(({ account, at, asOwner, pageEntries }) => ({
    at: at === null ? '/' : locate(pathsOf(account.area))(at),
    view: (asOwner ? View.ofOwner : View.ofVisitor)(area, settingsOf(account)),
    storage: storageOf(nodesOf(account), pageEntries),
  }))

type Case = typeof cases extends fc.Arbitrary<infer A> ? A : never

interface Found extends Case {
  readonly bounds: Tree.Bounds
  readonly whole: ReadonlyArray<Placed>
  readonly bounded: ReadonlyArray<Placed>
}

export const always = (anyBounds: fc.Arbitrary<Tree.Bounds>, look: (found: Found) => void | Promise<void>) =>
  fc.assert(
    fc.asyncProperty(cases, anyBounds, async (request, limits) => {
      const { at, view, storage } = request
      const whole = await collected(at, Tree.unbounded, view, storage)
      const bounded = await collected(at, limits, view, storage)
      if (E.isRight(whole) && E.isRight(bounded))
        await look({ ...request, bounds: limits, whole: flat(whole.right, at), bounded: flat(bounded.right, at) })
      else expect(bounded).toStrictEqual(whole)
    }),
  )
