import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { type Access, authorizedRequest } from '../src/AuthorizedRequest.js'
import * as Failure from '../src/Failure.js'
import type { Entry, Node } from '../src/Listing.js'
import { operations } from '../src/operations.js'
import type { ListEnv, NodeAtEnv } from '../src/ports.js'
import * as Settings from '../src/Settings.js'
import * as Tree from '../src/Tree.js'
import * as View from '../src/View.js'
import {
  changes,
  changing,
  collecting,
  counted,
  isOfOwner,
  type Name,
  names,
  portsOf,
  type Registry,
  registryWith,
} from './registry.js'
import { area, dir, file, name, path, set, storageOf, u64 } from './support.js'
import { succeeded } from './trees.js'

const open = set({ '/': 'public' })
const storage = storageOf([dir('r', file('f'), dir('d', dir('e', file('g'))))])

interface Moment {
  readonly moment: string
  readonly port: 'nodeAt' | 'list'
  readonly at: string
  readonly by: ReadonlyArray<Name>
  readonly instead?: NodeAtEnv & ListEnv
}

const trees = ['storageTree', 'userContentTree'] as const
const listings = ['storageDirItems', 'userContentDirItems'] as const
const always = (failure: Failure.OfStorage) => ({ nodeAt: () => TE.left(failure), list: () => TE.left(failure) })
const failing = always(Failure.external('EIO'))
const mismatched = always(Failure.typeMismatch)

const moments: ReadonlyArray<Moment> = [
  { moment: 'a node', port: 'nodeAt', at: '/r', by: trees },
  { moment: 'a file', port: 'nodeAt', at: '/r/f', by: trees },
  { moment: 'a page', port: 'list', at: '/r', by: names },
  { moment: 'a page below', port: 'list', at: '/r/d/e', by: trees },
  { moment: 'file not found', port: 'nodeAt', at: '/r/no', by: trees },
  { moment: 'file not found', port: 'list', at: '/r/no', by: listings },
  { moment: 'type mismatch', port: 'nodeAt', at: '/r/f/x', by: trees, instead: mismatched },
  { moment: 'type mismatch', port: 'list', at: '/r/f', by: listings, instead: mismatched },
  { moment: 'a failing disk', port: 'nodeAt', at: '/r', by: trees, instead: failing },
  { moment: 'a failing disk', port: 'list', at: '/r', by: listings, instead: failing },
]

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
  const { port, at, to, operation, requested, instead = storage } = each
  const over = changing(instead, port, at, () => Object.assign(registry, to))
  expect(await collecting[operation](requested)(portsOf(registry, over))()).toStrictEqual(E.left(each.failure))
})

/** Reads the children of a directory below `/r` in a lazy tree, with a change during that read. */
const childrenAfter = async (at: string, to: Partial<Registry>) => {
  const registry = registryWith(open)
  const ports = portsOf(
    registry,
    changing(storage, 'list', at, () => Object.assign(registry, to)),
  )
  const tree = await operations.userContentTree({ user: '7', path: '/r' }, Tree.unbounded)(ports)()
  let current: Tree.Tree | Tree.Child | undefined = succeeded(tree)
  for (const child of at.split('/').slice(2)) {
    const found: Tree.Expansion =
      current?.type === 'dir' ? succeeded(await current.children()) : expect.fail('no directory')
    current = found.is === 'listed' ? [...found.children].find((each) => each?.name === child) : undefined
  }
  return current?.type === 'dir' ? current.children() : expect.fail('no directory')
}

describe('after the first bytes of a tree', () => {
  const hide = (...hidden: ReadonlyArray<string>) => ({
    settings: set({ '/': 'public', ...Object.fromEntries(hidden.map((at) => [at, 'hidden'] as const)) }),
  })

  it.each(changes.filter(({ visitor }) => visitor !== undefined))(
    'if $change, the children of a directory fail',
    async ({ to, visitor }) => {
      expect(await childrenAfter('/r/d', to)).toStrictEqual(E.left(visitor))
    },
  )

  it('a directory that is hidden during its read has vanished', async () => {
    expect(await childrenAfter('/r/d/e', hide('/r/d/e'))).toStrictEqual(E.right({ is: 'vanished' }))
  })

  it('hiding a directory whose content has begun cuts the answer', async () => {
    const noLongerShown = new Error('a directory became invisible while it was being read: retry')
    expect(await childrenAfter('/r/d/e', hide('/r/d'))).toStrictEqual(E.left(Failure.external(noLongerShown)))
  })

  it('hiding the requested directory or one above it does not cut the answer', async () => {
    expect(await childrenAfter('/r/d', hide('/', '/r'))).toMatchObject(E.right({ is: 'listed' }))
  })
})

describe('a change of the settings', () => {
  const older: ReadonlyArray<Entry> = ['removed', 'stays'].map((each) => ({
    type: 'file',
    name: name(each),
    size: u64(1n),
    last_modified: u64(1n),
  }))
  const size = (n: bigint): Node => ({ type: 'file', size: u64(n), last_modified: u64(1n) })

  /** The content that a client gets from a cache whose first answers are older than the change. */
  const askCache = async (operation: Name, port: 'nodeAt' | 'list', at: string) => {
    const registry = registryWith(open)
    const calls: Array<string> = []
    const isOld = () => registry.settings === open
    const cache: NodeAtEnv & ListEnv = {
      nodeAt: (_, on) => async () =>
        E.right(on === '/r' ? { type: 'dir', last_modified: u64(1n) } : size(isOld() ? 1n : 2n)),
      list: () => async () => E.right({ entries: isOld() ? older : older.slice(1), unlistable: 0 }),
    }
    const over = changing(cache, port, at, () => {
      registry.settings = set({ '/': 'public', '/other': 'private' })
    })
    const answer = await collecting[operation](at)(portsOf(registry, over, (call) => calls.push(call)))()
    return [answer, calls.filter((call) => call.includes('/'))]
  }

  it.each<[Name, 'nodeAt' | 'list', string, object, ReadonlyArray<string>]>([
    ['userContentDirItems', 'list', '/r', { items: [{ name: 'stays' }] }, ['list /r', 'list /r']],
    ['storageTree', 'nodeAt', '/r/f', { size: 2n }, ['nodeAt /r/f', 'nodeAt /r/f']],
    ['userContentTree', 'list', '/r', { content: [{ name: 'stays' }] }, ['nodeAt /r', 'list /r', 'list /r']],
  ])('makes %s ask once more, so that no older answer is shown: %s %s', async (operation, port, at, shown, calls) => {
    expect(await askCache(operation, port, at)).toMatchObject([E.right(shown), calls])
  })
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

it.each(names)('unchanged values are not decided again, however much is read: %s', async (operation) => {
  const settings = [
    [path('/'), 'public'],
    [path('/none'), 'private'],
    [path('/x'), 'private'],
  ] as const
  const { lookedUp, map } = counted(new Map(settings))
  const directories = Array.from({ length: 9 }, (_, index) => dir(`${index}`, file('f'), file('g')))
  const over = storageOf([dir('a', dir('b', ...directories))], 2)
  const answer = await collecting[operation]('/a/b')(portsOf(registryWith(Settings.fromMap(map)), over))()
  expect(answer).toMatchObject({ _tag: 'Right' })
  expect(['/', '/a', '/a/b'].map((at) => lookedUp.filter((each) => each === at).length)).toStrictEqual([1, 1, 1])
})
