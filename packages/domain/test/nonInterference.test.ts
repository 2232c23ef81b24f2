import * as fc from 'fast-check'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import { alike } from '../../testkit/src/arbitraries/names.js'
import { pathsOf, worldAccount } from '../../testkit/src/arbitraries/worlds.js'
import { collectLines } from '../../testkit/src/backends/collectLines.js'
import type { WorldNode } from '../../testkit/src/World.js'
import * as Items from '../src/Items.js'
import { fileOperations, operations } from '../src/operations.js'
import * as Settings from '../src/Settings.js'
import * as StoragePath from '../src/StoragePath.js'
import * as Tree from '../src/Tree.js'
import * as View from '../src/View.js'
import { readArchive, readFile } from './files.js'
import { area, nodesOf, page, pageSizes, path, settingsOf, storageOf } from './support.js'
import { bounds } from './trees.js'

type Nodes = ReadonlyArray<WorldNode>

/** The same area without what no visitor may reach. A private directory stays where something below it may be reached. */
const reachable = (settings: Settings.Settings, nodes: Nodes, parent = ''): Nodes =>
  nodes.flatMap((node): Nodes => {
    const at = `${parent}/${node.name}`
    const reached = View.visitorMayRequest(settings, path(at))
    if (node.type === 'file') return reached ? [node] : []
    if (node.type !== 'dir') return []
    const content = reachable(settings, node.content, at)
    return reached || content.length > 0 ? [{ ...node, content }] : []
  })

const lineBounds = (at: string) => [
  bounds({ lines: { name: '*a*' }, nodes: 3 }),
  ...[at, `${at === '/' ? '' : at}/a`].filter(StoragePath.is).map((after) => bounds({ lines: { after } })),
]

const answersOf = (settings: Settings.Settings, nodes: Nodes, at: string, raw: string, size: number | undefined) => {
  const ports = { settingsOf: () => TE.right(settings), areaOfUser: () => TE.right(area), ...storageOf(nodes, size) }
  const request = { user: '7', path: raw }
  const trees = [Tree.unbounded, bounds({ depth: 1, nodes: 4 })].map((some) =>
    pipe(operations.userContentTree(request, some)(ports), TE.flatMap(Tree.collect))(),
  )
  const lines = lineBounds(at).map((some) =>
    pipe(
      operations.userContentTree(request, some)(ports),
      TE.flatMap((tree) => collectLines(tree, some)),
    )(),
  )
  const listings = [Items.unbounded, page({ limit: 1 })].map((some) =>
    pipe(operations.userContentDirItems(request, some)(ports), TE.flatMap(Items.collect))(),
  )
  const file = pipe(fileOperations.userContentFile(request)(ports), TE.flatMap(readFile))()
  const archive = pipe(
    fileOperations.userContentArchive(request, Tree.unbounded)(ports),
    TE.flatMap(readArchive(raw)),
  )()
  return Promise.all([...trees, ...lines, ...listings, file, archive])
}

const rawOf = (at: string): string => at.split('/').map(encodeURIComponent).join('/')

const answersTo = (settings: Settings.Settings, nodes: Nodes, paths: ReadonlyArray<string>, size?: number) =>
  Promise.all(
    paths.flatMap((at) =>
      [rawOf(at), `${rawOf(at)}/`].map(async (raw) => [raw, await answersOf(settings, nodes, at, raw, size)]),
    ),
  )

it('visitors get the same answers from areas that differ only in invisible nodes', () =>
  fc.assert(
    fc.asyncProperty(worldAccount(), alike, fc.constantFrom(...pageSizes), async (account, more, size) => {
      const settings = settingsOf(account)
      const nodes = nodesOf(account)
      const made = Array.from(Settings.entries(settings), ([at]) => at)
      const paths = [...new Set([...pathsOf(account.area), ...made, ...made.map((at) => `${at}/${more}`)])]
      expect(await answersTo(settings, nodes, paths, size)).toStrictEqual(
        await answersTo(settings, reachable(settings, nodes), paths),
      )
    }),
  ))
