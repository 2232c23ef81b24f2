import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import { collectLines } from '../../testkit/src/backends/collectLines.js'
import { memoryStorage } from '../../testkit/src/memoryPorts.js'
import type { Access } from '../src/AuthorizedRequest.js'
import { authorizedRequest } from '../src/authorization.js'
import * as Failure from '../src/Failure.js'
import { operations } from '../src/operations.js'
import type { ListEnv } from '../src/ports.js'
import * as Tree from '../src/Tree.js'
import * as View from '../src/View.js'
import { changes, changing, collecting, isOfOwner, listings, names, portsOf, registryWith, trees } from './registry.js'
import { area, dir, file, path, set, storageOf, succeeded } from './support.js'

const open = set({ '/': 'public' })
const storage = storageOf([dir('r', file('f'), dir('d', dir('e', file('g'))))])

const always = (failure: Failure.OfStorage) => ({ nodeAt: () => TE.left(failure), list: () => TE.left(failure) })
const failing = always(Failure.external('EIO'))
const mismatched = always(Failure.typeMismatch)

/** Answers of the storage: the change happens after the first one. */
const moments = [
  { moment: 'a node', port: 'nodeAt', at: '/r', by: trees, over: storage },
  { moment: 'a file', port: 'nodeAt', at: '/r/f', by: trees, over: storage },
  { moment: 'a page', port: 'list', at: '/r', by: names, over: storage },
  { moment: 'a page below', port: 'list', at: '/r/d/e', by: trees, over: storage },
  { moment: 'file not found', port: 'nodeAt', at: '/r/no', by: trees, over: storage },
  { moment: 'file not found', port: 'list', at: '/r/no', by: listings, over: storage },
  { moment: 'type mismatch', port: 'nodeAt', at: '/r/f/x', by: trees, over: mismatched },
  { moment: 'type mismatch', port: 'list', at: '/r/f', by: listings, over: mismatched },
  { moment: 'a failing disk', port: 'nodeAt', at: '/r', by: trees, over: failing },
  { moment: 'a failing disk', port: 'list', at: '/r', by: listings, over: failing },
] as const

const cases = moments.flatMap(({ by, moment, at, ...rest }) =>
  by.flatMap((operation) =>
    changes.flatMap(({ owner, visitor, ...change }) => {
      const failure = isOfOwner(operation) ? owner : visitor
      const requested = moment === 'a page below' ? '/r' : at
      return failure === undefined ? [] : [{ operation, moment, at, requested, failure, ...rest, ...change }]
    }),
  ),
)

it.each(cases)('$operation, after $moment: if $change, the client gets $failure.error', async (each) => {
  const registry = registryWith(open)
  const { port, at, to, operation, requested } = each
  const over = changing(each.over, port, at, () => Object.assign(registry, to))
  expect(await collecting[operation](requested)(portsOf(registry, over))()).toStrictEqual(E.left(each.failure))
})

const noLongerShown = new Error('a directory became invisible while it was being read: retry')
const f = { name: 'f' }
const d = { content: [{ content: [{ name: 'g' }] }] }

it.each<[string, ReadonlyArray<string>, E.Either<Failure.Failure, object>]>([
  ['omits a directory that is hidden during its read', ['/r/d/e'], E.right({ content: [{ content: [] }, f] })],
  ['fails if a directory above is hidden, whose content has begun', ['/r/d'], E.left(Failure.external(noLongerShown))],
  ['is whole if the requested directory or the root is hidden', ['/', '/r'], E.right({ content: [d, f] })],
])('a tree %s', async (_, hidden, expected) => {
  const registry = registryWith(open)
  const over = changing(storage, 'list', '/r/d/e', () => {
    registry.settings = set({ '/': 'public', ...Object.fromEntries(hidden.map((each) => [each, 'hidden'] as const)) })
  })
  expect(await collecting.userContentTree('/r')(portsOf(registry, over))()).toMatchObject(expected)
})

it('lines fail if a directory is hidden after its first page, which may have been sent', async () => {
  const registry = registryWith(open)
  const paged = storageOf([dir('r', file('f'), file('g'))], 1)
  const list: ListEnv['list'] = (of, at, options) => {
    if (at === '/r' && options?.after !== undefined) registry.settings = set({ '/': 'public', '/r': 'hidden' })
    return paged.list(of, at, options)
  }
  const bounds = succeeded(Tree.bounds({ lines: {} }))
  const tree = operations.userContentTree({ user: '7', path: '/' }, bounds)(portsOf(registry, { ...paged, list }))
  const lines = TE.flatMap((tree: Tree.Tree) => collectLines(tree, bounds))(tree)
  expect(await lines()).toStrictEqual(E.left(Failure.external(noLongerShown)))
})

it('a file on the way that becomes private during the search for it is not found', async () => {
  const registry = registryWith(set({ '/r/f': 'public', '/r/f/x': 'public' }))
  const over = changing(storage, 'nodeAt', '/r/f', () => {
    registry.settings = set({ '/r/f/x': 'public' })
  })
  const answer = await collecting.userContentTree('/r/f/x')(portsOf(registry, over))()
  expect(answer).toStrictEqual(E.left(Failure.fileNotFound))
})

it.each(names)(
  '%s asks a cache once more if the settings have changed, and shows no older answer',
  async (operation) => {
    const registry = registryWith(open)
    const content = () => [dir('r', file('stays'), ...(registry.settings === open ? [file('removed')] : []))]
    const over = changing(memoryStorage(content), 'list', '/r', () => {
      registry.settings = set({ '/': 'public', '/other': 'private' })
    })
    const shown = [{ name: 'stays' }]
    expect(await collecting[operation]('/r')(portsOf(registry, over))()).toMatchObject(
      E.right(operation.endsWith('Tree') ? { content: shown } : { items: shown }),
    )
  },
)

it('a repeated call passes no page by which an adapter could find what it read ahead', async () => {
  const registry = registryWith(open)
  const over = changing(storage, 'list', '/r/d', () => {
    registry.settings = set({ '/': 'public', '/other': 'private' })
  })
  const passed: Array<readonly [hasParent: boolean, hasPrevious: boolean]> = []
  const list: ListEnv['list'] = (of, at, options) => {
    if (at === '/r/d') passed.push([options?.parent !== undefined, options?.previous !== undefined])
    return over.list(of, at, options)
  }
  await collecting.userContentTree('/r')(portsOf(registry, { ...over, list }))()
  expect(passed).toStrictEqual([
    [true, false],
    [false, false],
  ])
})

it('one reading of the registry serves the answers before it began, never later ones', async () => {
  const access: Access = { view: View.ofOwner(area, open), visibility: { inherited: false, visibility: 'public' } }
  const runs: Array<() => void> = []
  const { authorizeAgain } = authorizedRequest<never>({
    requested: { path: path('/'), mustBeDirectory: true },
    access,
    read: () => () => new Promise((resolve) => runs.push(() => resolve(E.right(access)))),
    reject: TE.left,
  })
  const tick = () => new Promise((resolve) => setImmediate(resolve))
  const served: Array<string> = []
  const ask = (who: string) => void authorizeAgain().then(() => served.push(who))
  ask('first')
  ask('with the first')
  await tick()
  ask('while the first runs')
  ask('while the first runs, too')
  await tick()
  expect(runs.length).toBe(1)
  runs[0]?.()
  await tick()
  expect([runs.length, served]).toStrictEqual([2, ['first', 'with the first']])
  runs[1]?.()
  await tick()
  expect(served.slice(2)).toStrictEqual(['while the first runs', 'while the first runs, too'])
})
