import * as fc from 'fast-check'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { alike } from '../../testkit/src/arbitraries/names.js'
import { pathsOf, worldAccount } from '../../testkit/src/arbitraries/worlds.js'
import type { WorldNode } from '../../testkit/src/World.js'
import * as Items from '../src/Items.js'
import { operations } from '../src/operations.js'
import type { Settings } from '../src/Settings.js'
import * as Tree from '../src/Tree.js'
import * as View from '../src/View.js'
import { area, dir, file, nodesOf, path, set, settingsOf, storageOf } from './support.js'

type Nodes = ReadonlyArray<WorldNode>

/** The same area without what no visitor may reach. A private directory stays where something below it may be reached. */
const reachable = (settings: Settings, nodes: Nodes, parent = ''): Nodes =>
  nodes.flatMap((node): Nodes => {
    const at = `${parent}/${node.name}`
    const reached = View.visitorReaches(settings, path(at))
    if (node.type === 'file') return reached ? [node] : []
    if (node.type !== 'dir') return []
    const content = reachable(settings, node.content, at)
    return reached || content.length > 0 ? [{ ...node, content }] : []
  })

const answersOf = (settings: Settings, nodes: Nodes, raw: string) => {
  const ports = { settingsOf: () => TE.right(settings), areaOfUser: () => TE.right(area), ...storageOf(nodes) }
  const asked = { user: '7', path: raw }
  const trees = [Tree.unbounded, { depth: O.some(1), nodes: 4 }].map((bounds) =>
    pipe(operations.userContentTree(asked, bounds)(ports), TE.flatMapTask(Tree.collect))(),
  )
  const listings = [Items.wholeListing, { limit: O.some(1), after: O.none }].map((page) =>
    pipe(operations.userContentDirItems(asked, page)(ports), TE.map(Items.collect))(),
  )
  return Promise.all([...trees, ...listings])
}

const rawOf = (at: string): string => at.split('/').map(encodeURIComponent).join('/')

const answersTo = (settings: Settings, nodes: Nodes, paths: ReadonlyArray<string>) =>
  Promise.all(
    paths
      .map(rawOf)
      .flatMap((raw) => [raw, `${raw}/`])
      .map(async (raw) => [raw, await answersOf(settings, nodes, raw)]),
  )

describe('what a visitor receives depends only on the settings and on the nodes that the visitor may see', () => {
  it('areas that differ only in invisible nodes answer every request identically', async () => {
    await fc.assert(
      fc.asyncProperty(worldAccount(), alike, async (account, more) => {
        const settings = settingsOf(account)
        const nodes = nodesOf(account)
        const made = [...settings.keys()]
        const paths = [...new Set([...pathsOf(account.area), ...made, ...made.map((at) => `${at}/${more}`)])]
        expect(await answersTo(settings, nodes, paths)).toStrictEqual(
          await answersTo(settings, reachable(settings, nodes), paths),
        )
      }),
    )
  })

  it('a private file is not betrayed by a setting below it', async () => {
    const settings = set({ '/a': 'public', '/a/f': 'private', '/a/f/x': 'public', '/g/x': 'hidden' })
    const paths = ['/a', '/a/f', '/a/f/x', '/a/f/x/y', '/g', '/g/x']
    expect(await answersTo(settings, [dir('a', file('f')), file('g')], paths)).toStrictEqual(
      await answersTo(settings, [dir('a')], paths),
    )
  })
})
