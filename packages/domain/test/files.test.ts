import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import * as Failure from '../src/Failure.js'
import { fileOperations } from '../src/fileOperations.js'
import type { NodeAtEnv, OpenFileEnv } from '../src/ports.js'
import * as Tree from '../src/Tree.js'
import { readArchive, readFile } from './files.js'
import { type Ports, portsOf, type Registry, registryDown, registryWith } from './registry.js'
import { area, dir, path, set, storageOf, textFile } from './support.js'
import { succeeded } from './trees.js'

const open = set({ '/': 'public' })
const content = [dir('d', textFile('f', 'text of f'), textFile('g', 'text of g')), textFile('top', 'top')]
const token = `cnp_${'A'.repeat(43)}`

type FilePorts = Ports & OpenFileEnv

/** Ports that count the files that are open, with a change directly behind each opening of a path. */
const counting = (registry: Registry, nodes = content, change: (at: string) => void = () => undefined) => {
  const storage = storageOf(nodes)
  const state = { opened: 0, closed: 0, isOpen: () => state.opened - state.closed }
  const openFile: OpenFileEnv['openFile'] = (of, at, options) => async () => {
    const answer = await storage.openFile(of, at, options)()
    change(at)
    if (E.isLeft(answer)) return answer
    state.opened += 1
    const close = async () => {
      state.closed += 1
    }
    return E.right({ ...answer.right, close })
  }
  const ports: FilePorts = { ...portsOf(registry, storage), openFile }
  return { ports, state }
}

const asVisitor = (raw: string) => (ports: FilePorts) =>
  pipe(fileOperations.userContentFile({ user: '7', path: raw })(ports), TE.flatMap(readFile))()
const asOwner = (raw: string) => (ports: FilePorts) =>
  pipe(fileOperations.storageFile({ token, path: raw })(ports), TE.flatMap(readFile))()
const archiveOf = (raw: string) => (ports: FilePorts) =>
  pipe(
    fileOperations.userContentArchive({ user: '7', path: raw }, Tree.unbounded)(ports),
    TE.flatMap(readArchive(raw)),
  )()

it('a visitor reads a public file, with name and bytes', async () => {
  const { ports, state } = counting(registryWith(open))
  expect(await asVisitor('/d/f')(ports)).toMatchObject(E.right({ name: 'f', size: 9n, text: 'text of f' }))
  expect(state.isOpen()).toBe(0)
})

it('an owner reads a private file', async () => {
  const { ports } = counting(registryWith(set({})))
  expect(await asOwner('/d/f')(ports)).toMatchObject(E.right({ text: 'text of f' }))
})

it.each([
  ['/d', 'a directory'],
  ['/d/', 'a directory with a trailing slash'],
  ['/', 'the root'],
  ['/top/', 'a file with a trailing slash'],
  ['/top/x', 'a path through a file'],
])('%s, %s, answers type mismatch', async (raw) => {
  const { ports, state } = counting(registryWith(open))
  expect(await asVisitor(raw)(ports)).toStrictEqual(E.left(Failure.typeMismatch))
  expect(await asOwner(raw)(ports)).toStrictEqual(E.left(Failure.typeMismatch))
  expect(state.isOpen()).toBe(0)
})

it('a missing file answers file not found', async () => {
  const { ports } = counting(registryWith(open))
  expect(await asVisitor('/no')(ports)).toStrictEqual(E.left(Failure.fileNotFound))
})

it('a private file answers permission denied before the storage is asked', async () => {
  const { ports, state } = counting(registryWith(set({ '/': 'public', '/top': 'private' })))
  expect(await asVisitor('/top')(ports)).toStrictEqual(E.left(Failure.permissionDenied))
  expect(state.opened).toBe(0)
})

describe('below a private file or directory', () => {
  const settings = set({ '/': 'public', '/p': 'private', '/p/x': 'public' })

  it('a path through the file answers file not found, as if there were no file', async () => {
    for (const nodes of [[textFile('p', 'secret')], []]) {
      const { ports } = counting(registryWith(settings), nodes)
      expect(await asVisitor('/p/x')(ports)).toStrictEqual(E.left(Failure.fileNotFound))
      expect(await asVisitor('/p/x/')(ports)).toStrictEqual(E.left(Failure.fileNotFound))
    }
  })

  it('a public directory still answers type mismatch', async () => {
    const { ports } = counting(registryWith(settings), [dir('p', dir('x'))])
    expect(await asVisitor('/p/x')(ports)).toStrictEqual(E.left(Failure.typeMismatch))
  })
})

const changes = [
  {
    change: 'the token is revoked',
    apply: (registry: Registry) => {
      registry.isRevoked = true
    },
    owner: Failure.invalidToken,
    visitor: undefined,
  },
  {
    change: 'the account is unverified',
    apply: (registry: Registry) => {
      registry.isVerified = false
    },
    owner: Failure.notVerified,
    visitor: Failure.permissionDenied,
  },
  {
    change: 'the path is made private',
    apply: (registry: Registry) => {
      registry.settings = set({ '/': 'public', '/d': 'private' })
    },
    owner: undefined,
    visitor: Failure.permissionDenied,
  },
  {
    change: 'the area is moved',
    apply: (registry: Registry) => {
      registry.area = { ...area, location: 'elsewhere' as typeof area.location }
    },
    owner: Failure.external(new Error('the area of the account was moved while it was read: retry')),
    visitor: Failure.external(new Error('the area of the account was moved while it was read: retry')),
  },
  {
    change: 'the registry fails',
    apply: (registry: Registry) => {
      registry.isDown = true
    },
    owner: registryDown,
    visitor: registryDown,
  },
]

describe.each(changes)('if $change', ({ apply, owner, visitor }) => {
  it.each([
    ['owner', asOwner, owner],
    ['visitor', asVisitor, visitor],
  ] as const)('after the file was opened, the %s gets what a new request gets', async (_, read, failure) => {
    const registry = registryWith(open)
    const { ports, state } = counting(registry, content, () => apply(registry))
    const answer = await read('/d/f')(ports)
    const expected = failure === undefined ? E.right({ text: 'text of f' }) : E.left(failure)
    expect(answer).toMatchObject(expected)
    expect(state.opened).toBeGreaterThan(0)
    expect(state.isOpen()).toBe(0)
  })

  it.each([
    ['owner', fileOperations.storageFile({ token, path: '/d/f' }), owner],
    ['visitor', fileOperations.userContentFile({ user: '7', path: '/d/f' }), visitor],
  ] as const)('while the file is sent, the second authorization of the %s agrees', async (_, program, failure) => {
    const registry = registryWith(open)
    const file = succeeded(await (program as typeof ofOwner)(counting(registry).ports)())
    expect(await file.authorizeAgain()).toStrictEqual(E.right(undefined))
    apply(registry)
    expect(await file.authorizeAgain()).toStrictEqual(failure === undefined ? E.right(undefined) : E.left(failure))
  })
})
const ofOwner = fileOperations.storageFile({ token, path: '/d/f' })

it('a directory that becomes a file between opening and asking again answers type mismatch', async () => {
  const { ports } = counting(registryWith(open))
  const nodeAt: NodeAtEnv['nodeAt'] = (of) => ports.nodeAt(of, path('/top'))
  expect(await asVisitor('/d')({ ...ports, nodeAt })).toStrictEqual(E.left(Failure.typeMismatch))
})

describe('an archive', () => {
  it('has every file that its client sees, and no other', async () => {
    const { ports, state } = counting(registryWith(set({ '/': 'public', '/d/g': 'hidden' })))
    expect(await archiveOf('/')(ports)).toStrictEqual(
      E.right([
        ['/', 'dir'],
        ['/d', 'dir'],
        ['/d/f', 'text of f'],
        ['/top', 'top'],
      ]),
    )
    expect(state.isOpen()).toBe(0)
  })

  it('of a file answers type mismatch', async () => {
    const { ports } = counting(registryWith(open))
    expect(await archiveOf('/top')(ports)).toStrictEqual(E.left(Failure.typeMismatch))
  })

  const changedBy = (settings: Parameters<typeof set>[0]) => {
    const registry = registryWith(open)
    return counting(registry, content, () => {
      registry.settings = set(settings)
    })
  }

  it('omits a file that is hidden while it is opened', async () => {
    const { ports, state } = changedBy({ '/': 'public', '/d/f': 'hidden' })
    expect(await archiveOf('/d')(ports)).toStrictEqual(
      E.right([
        ['/d', 'dir'],
        ['/d/g', 'text of g'],
      ]),
    )
    expect(state.isOpen()).toBe(0)
  })

  it('fails if a directory that it has begun is hidden', async () => {
    const { ports, state } = changedBy({ '/': 'public', '/d': 'hidden' })
    const failure = new Error('a directory became invisible while its archive was sent: retry')
    expect(await archiveOf('/')(ports)).toStrictEqual(E.left(Failure.external(failure)))
    expect(state.isOpen()).toBe(0)
  })

  it('fails if the requested directory is made private', async () => {
    const { ports, state } = changedBy({ '/': 'public', '/d': 'private' })
    expect(await archiveOf('/d')(ports)).toStrictEqual(E.left(Failure.permissionDenied))
    expect(state.isOpen()).toBe(0)
  })

  it('stops a file that is hidden while it is sent', async () => {
    const registry = registryWith(open)
    const { ports } = counting(registry)
    const program = fileOperations.userContentArchive({ user: '7', path: '/d' }, Tree.unbounded)
    const file = succeeded(await succeeded(await program(ports)()).open(path('/d/f'))())
    expect(await file.authorizeAgain()).toStrictEqual(E.right(undefined))
    registry.settings = set({ '/': 'public', '/d/f': 'hidden' })
    const failure = new Error('a file became invisible while it was sent: retry')
    expect(await file.authorizeAgain()).toStrictEqual(E.left(Failure.external(failure)))
  })

  it.each([
    ['a file that was removed', Failure.fileNotFound],
    ['a file that a directory replaced', Failure.typeMismatch],
  ])('omits %s', async (_, failure) => {
    const { ports } = counting(registryWith(open))
    const openFile: OpenFileEnv['openFile'] = (of, at) => (at === '/d/f' ? TE.left(failure) : ports.openFile(of, at))
    expect(await archiveOf('/d')({ ...ports, openFile })).toStrictEqual(
      E.right([
        ['/d', 'dir'],
        ['/d/g', 'text of g'],
      ]),
    )
  })

  it('fails with a file that cannot be read', async () => {
    const { ports } = counting(registryWith(open))
    const openFile: OpenFileEnv['openFile'] = () => TE.left(Failure.external('EIO'))
    expect(await archiveOf('/d')({ ...ports, openFile })).toStrictEqual(E.left(Failure.external('EIO')))
  })
})
