import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import * as Area from '../src/Area.js'
import { type Access, authorizedRequest } from '../src/AuthorizedRequest.js'
import * as Failure from '../src/Failure.js'
import { unbounded } from '../src/Items.js'
import type { Entry, Node } from '../src/Listing.js'
import { operations } from '../src/operations.js'
import type { ListEnv, NodeAtEnv } from '../src/ports.js'
import * as Settings from '../src/Settings.js'
import * as Tree from '../src/Tree.js'
import * as View from '../src/View.js'
import {
  changing,
  collecting,
  counted,
  type Name,
  names,
  portsOf,
  type Registry,
  registryDown,
  registryWith,
} from './registry.js'
import { area, dir, file, name, path, set, storageOf, u64 } from './support.js'
import { succeeded } from './trees.js'

const open = set({ '/': 'public' })
const storage = storageOf([dir('r', file('f'), dir('d', dir('e', file('g'))))])

interface Change {
  readonly change: string
  readonly apply: (registry: Registry) => void
  /** What a new request would receive; absent if it is still allowed. */
  readonly owner?: Failure.Failure
  readonly visitor?: Failure.Failure
}

const moved = Failure.external(new Error('the area of the account was moved while it was read: retry'))

const changes: ReadonlyArray<Change> = [
  {
    change: 'the token is revoked',
    apply: (registry) => {
      registry.isRevoked = true
    },
    owner: Failure.invalidToken,
  },
  {
    change: 'the account is unverified',
    apply: (registry) => {
      registry.isVerified = false
    },
    owner: Failure.notVerified,
    visitor: Failure.permissionDenied,
  },
  {
    change: 'the requested path is made private',
    apply: (registry) => {
      registry.settings = set({ '/': 'public', '/r': 'private' })
    },
    visitor: Failure.permissionDenied,
  },
  {
    change: 'the area is moved',
    apply: (registry) => {
      registry.area = { ...area, location: Area.location('elsewhere') }
    },
    owner: moved,
    visitor: moved,
  },
  {
    change: 'the registry fails',
    apply: (registry) => {
      registry.isDown = true
    },
    owner: registryDown,
    visitor: registryDown,
  },
]

interface Moment {
  readonly moment: string
  readonly port: 'nodeAt' | 'list'
  readonly at: string
  readonly by: ReadonlyArray<Name>
  readonly instead?: NodeAtEnv & ListEnv
}

const trees = ['storageTree', 'userContentTree'] as const
const listings = ['storageDirItems', 'userContentDirItems'] as const
const diskFails = TE.left(Failure.external('EIO'))
const failing = { nodeAt: () => diskFails, list: () => diskFails }
const mismatched = { nodeAt: () => TE.left(Failure.typeMismatch), list: () => TE.left(Failure.typeMismatch) }

const moments: ReadonlyArray<Moment> = [
  { moment: 'a node', port: 'nodeAt', at: '/r', by: trees },
  { moment: 'a file', port: 'nodeAt', at: '/r/f', by: trees },
  { moment: 'a page', port: 'list', at: '/r', by: [...trees, ...listings] },
  { moment: 'a page below', port: 'list', at: '/r/d/e', by: trees },
  { moment: 'file not found', port: 'nodeAt', at: '/r/no', by: trees },
  { moment: 'file not found', port: 'list', at: '/r/no', by: listings },
  { moment: 'type mismatch', port: 'nodeAt', at: '/r/f/x', by: trees, instead: mismatched },
  { moment: 'type mismatch', port: 'list', at: '/r/f', by: listings, instead: mismatched },
  { moment: 'a failing disk', port: 'nodeAt', at: '/r', by: trees, instead: failing },
  { moment: 'a failing disk', port: 'list', at: '/r', by: listings, instead: failing },
]

const isOfOwner = (operation: Name): boolean => operation === 'storageTree' || operation === 'storageDirItems'

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
  const { port, at, apply, operation, requested, instead = storage } = each
  const ports = portsOf(
    registry,
    changing(instead, port, at, () => apply(registry)),
  )
  expect(await collecting[operation](requested)(ports)()).toStrictEqual(E.left(each.failure))
})

/** The directory at a path below `/r`, in a lazy tree. */
const directoryAt = async (registry: Registry, at: string, over: NodeAtEnv & ListEnv) => {
  const tree = await operations.userContentTree({ user: '7', path: '/r' }, Tree.unbounded)(portsOf(registry, over))()
  const childOf = async (parent: Tree.Tree | Tree.Child, child: string): Promise<Tree.Child> => {
    const found = parent.type === 'dir' ? await parent.children() : expect.fail('no directory')
    const all = E.isRight(found) && found.right.is === 'listed' ? [...found.right.children] : []
    return all.find((each) => each?.name === child) ?? expect.fail(`no ${child}`)
  }
  let current: Tree.Tree | Tree.Child = E.isRight(tree) ? tree.right : expect.fail('no tree')
  for (const child of at.split('/').slice(2)) current = await childOf(current, child)
  return current.type === 'dir' ? current : expect.fail('no directory')
}

describe('after the first bytes of a tree', () => {
  const childrenAfter = async (at: string, apply: (registry: Registry) => void) => {
    const registry = registryWith(open)
    const { children } = await directoryAt(
      registry,
      at,
      changing(storage, 'list', at, () => apply(registry)),
    )
    return children()
  }
  const hiding =
    (...hidden: ReadonlyArray<string>) =>
    (registry: Registry) => {
      registry.settings = set({ '/': 'public', ...Object.fromEntries(hidden.map((at) => [at, 'hidden'] as const)) })
    }

  it.each(changes.filter(({ visitor }) => visitor !== undefined))(
    'if $change, the children of a directory fail',
    async ({ apply, visitor }) => {
      expect(await childrenAfter('/r/d', apply)).toStrictEqual(E.left(visitor))
    },
  )

  it('a directory that is hidden meanwhile has vanished', async () => {
    expect(await childrenAfter('/r/d/e', hiding('/r/d/e'))).toStrictEqual(E.right({ is: 'vanished' }))
  })

  it('a directory below one that is hidden meanwhile fails: the content of that one has begun', async () => {
    const noLongerShown = new Error('a directory became invisible while its tree was read: retry')
    expect(await childrenAfter('/r/d/e', hiding('/r/d'))).toStrictEqual(E.left(Failure.external(noLongerShown)))
  })

  it('a hidden path on the way down to the requested directory cuts nothing', async () => {
    expect(await childrenAfter('/r/d', hiding('/', '/r'))).toMatchObject(E.right({ is: 'listed' }))
  })
})

it.each(changes.filter(({ owner }) => owner !== undefined))(
  'after the first page of a listing: if $change, the next page fails',
  async ({ apply, owner }) => {
    const registry = registryWith(open)
    const ports = portsOf(registry, storageOf([file('a'), file('b'), file('c')], 1))
    const first = await operations.storageDirItems({ token: `cnp_${'A'.repeat(43)}`, path: '/' }, unbounded)(ports)()
    apply(registry)
    const next = O.toUndefined(succeeded(first).next)
    expect(await next?.()).toStrictEqual(E.left(owner))
  },
)

describe('a change of access', () => {
  const older: ReadonlyArray<Entry> = ['removed', 'stays'].map((each) => ({
    type: 'file',
    name: name(each),
    size: u64(1n),
    last_modified: u64(1n),
  }))
  const size = (n: bigint): Node => ({ type: 'file', size: u64(n), last_modified: u64(1n) })

  /** A storage with a cache: its first answers are older than the change of the settings. */
  const cached = (registry: Registry) => {
    const calls: Array<string> = []
    const isOld = () => registry.settings === open
    const over: NodeAtEnv & ListEnv = {
      nodeAt: (_, at) => async () => {
        calls.push(`nodeAt ${at}`)
        return E.right(at === '/r' ? { type: 'dir', last_modified: u64(1n) } : size(isOld() ? 1n : 2n))
      },
      list: (_, at) => async () => {
        calls.push(`list ${at}`)
        return E.right({ entries: isOld() ? older : older.slice(1), unlistable: 0 })
      },
    }
    return { calls, over }
  }
  const setAnother = (registry: Registry) => () => {
    registry.settings = set({ '/': 'public', '/other': 'private' })
  }

  it('makes a listing ask the storage once more, and the older answer is not shown', async () => {
    const registry = registryWith(open)
    const { calls, over } = cached(registry)
    const ports = portsOf(registry, changing(over, 'list', '/r', setAnother(registry)))
    const listing = await collecting.userContentDirItems('/r')(ports)()
    expect(E.isRight(listing) && listing.right.items.map((item) => item.name)).toStrictEqual(['stays'])
    expect(calls).toStrictEqual(['list /r', 'list /r'])
  })

  it('makes a tree ask for its node once more, and the older answer is not shown', async () => {
    const registry = registryWith(open)
    const { calls, over } = cached(registry)
    const ports = portsOf(registry, changing(over, 'nodeAt', '/r/f', setAnother(registry)))
    expect(await collecting.storageTree('/r/f')(ports)()).toMatchObject(E.right({ size: 2n }))
    expect(calls).toStrictEqual(['nodeAt /r/f', 'nodeAt /r/f'])
  })

  it('makes a tree list its directory once more, and the older answer is not shown', async () => {
    const registry = registryWith(open)
    const { calls, over } = cached(registry)
    const ports = portsOf(registry, changing(over, 'list', '/r', setAnother(registry)))
    expect(await collecting.userContentTree('/r')(ports)()).toMatchObject(E.right({ content: [{ name: 'stays' }] }))
    expect(calls).toStrictEqual(['nodeAt /r', 'list /r', 'list /r'])
  })

  it('decides about the entries that were read before it', async () => {
    const registry = registryWith(open)
    const apply = () => {
      registry.settings = set({ '/': 'public', '/r/f': 'private' })
    }
    const ports = portsOf(registry, changing(storage, 'list', '/r', apply))
    const listing = await collecting.userContentDirItems('/r')(ports)()
    expect(E.isRight(listing) && listing.right.items.map((item) => item.name)).toStrictEqual(['d'])
  })

  it.each(names)('at each reading of the registry does not hold a request: %s', async (operation) => {
    const registry = registryWith(open)
    const restless = Settings.fromEntries
    const ports = portsOf(registry, storageOf([dir('a', file('f'))]))
    const settingsOf = () => async () => E.right(restless([[path('/a/f/x'), 'public']]))
    const answer = await collecting[operation]('/a/f/x')({ ...ports, settingsOf })()
    const failure = isOfOwner(operation) ? Failure.typeMismatch : Failure.fileNotFound
    expect(answer).toStrictEqual(E.left(failure))
  })

  it.each(['userContentTree', 'userContentDirItems'] as const)(
    'during the first answer decides whether a file on the way is concealed: %s',
    async (operation) => {
      const registry = registryWith(open)
      const apply = () => {
        registry.settings = set({ '/': 'public', '/r/f': 'private', '/r/f/x': 'public' })
      }
      const port = operation === 'userContentTree' ? 'nodeAt' : 'list'
      const ports = portsOf(registry, changing(storage, port, '/r/f/x', apply))
      expect(await collecting[operation]('/r/f/x')(ports)()).toStrictEqual(E.left(Failure.fileNotFound))
    },
  )

  it('that conceals the file in the middle of a path makes it not found', async () => {
    const registry = registryWith(set({ '/a/f': 'hidden', '/a/f/x': 'public' }))
    const apply = () => {
      registry.settings = set({ '/a/f': 'private', '/a/f/x': 'public' })
    }
    const over = storageOf([dir('a', file('f'))])
    const before = await collecting.userContentDirItems('/a/f/x')(portsOf(registry, over))()
    const after = await collecting.userContentDirItems('/a/f/x')(
      portsOf(registry, changing(over, 'nodeAt', '/a/f', apply)),
    )()
    expect([before, after]).toStrictEqual([E.left(Failure.typeMismatch), E.left(Failure.fileNotFound)])
  })
})

describe('the registry is read after each answer of the storage', () => {
  const callsOf = async (operation: Name, raw: string, over = storage, settings = open) => {
    const log: Array<string> = []
    await collecting[operation](raw)(portsOf(registryWith(settings), over, (call) => log.push(call)))()
    return log
  }

  it.each<[Name, ReadonlyArray<string>]>([
    ['storageTree', ['token', 'settings']],
    ['userContentTree', ['settings', 'account']],
  ])('by a tree, for its node and each directory: %s', async (operation, registry) => {
    const reads = ['nodeAt /r', 'list /r', 'list /r/d', 'list /r/d/e']
    expect(await callsOf(operation, '/r')).toStrictEqual([...registry, ...reads.flatMap((read) => [read, ...registry])])
  })

  it('by a listing, for each page', async () => {
    const registry = ['settings', 'account']
    const paged = storageOf([file('a'), file('b'), file('c')], 1)
    const pages = ['list /', 'list /', 'list /'].flatMap((read) => [read, ...registry])
    expect(await callsOf('userContentDirItems', '/', paged)).toStrictEqual([...registry, ...pages])
  })

  it('by a failure, also for each question after a file in the middle of the path', async () => {
    const registry = ['settings', 'account']
    const calls = await callsOf('userContentTree', '/r/f/x', storage, set({ '/r': 'public', '/r/f': 'hidden' }))
    const reads = ['nodeAt /r/f/x', 'nodeAt /r/f'].flatMap((read) => [read, ...registry])
    expect(calls).toStrictEqual([...registry, ...reads])
  })
})

describe('one reading of the registry', () => {
  const access: Access = { view: View.ofOwner(area, open), visibility: { inherited: false, visibility: 'public' } }
  const requested = { path: path('/'), mustBeDirectory: true }

  it('serves the answers before it began, never one that came while it ran', async () => {
    const runs: Array<() => void> = []
    const read = () => () => new Promise<E.Either<never, Access>>((done) => runs.push(() => done(E.right(access))))
    const { authorizeAgain } = authorizedRequest<never>({ requested, access, read, reject: TE.left })
    const turn = () => new Promise((done) => setImmediate(done))
    const served: Array<string> = []
    const ask = (who: string) => void authorizeAgain().then(() => served.push(who))
    ask('first')
    ask('with the first')
    await turn()
    expect(runs.length).toBe(1)
    ask('while the first ran')
    ask('while the first ran, too')
    await turn()
    expect(runs.length).toBe(1)
    runs[0]?.()
    await turn()
    expect([runs.length, served]).toStrictEqual([2, ['first', 'with the first']])
    runs[1]?.()
    await turn()
    expect(served.slice(2)).toStrictEqual(['while the first ran', 'while the first ran, too'])
  })
})

describe('unchanged values are not decided again', () => {
  it.each(names)('the requested path is looked up once, however much is read: %s', async (operation) => {
    const { lookedUp, map } = counted(
      new Map([
        [path('/'), 'public'],
        [path('/none'), 'private'],
        [path('/x'), 'private'],
      ] as const),
    )
    const directories = Array.from({ length: 9 }, (_, index) => dir(`${index}`, file('f'), file('g')))
    const over = storageOf([dir('a', dir('b', ...directories))], 2)
    const answer = await collecting[operation]('/a/b')(portsOf(registryWith(Settings.fromMap(map)), over))()
    expect(answer).toMatchObject({ _tag: 'Right' })
    const times = (at: string) => lookedUp.filter((each) => each === at).length
    expect(['/', '/a', '/a/b'].map(times)).toStrictEqual([1, 1, 1])
  })
})
