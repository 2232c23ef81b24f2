import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import * as Failure from '../src/Failure.js'
import { fileOperations } from '../src/operations.js'
import type { NodeAtEnv, OpenFileEnv } from '../src/ports.js'
import type * as Settings from '../src/Settings.js'
import * as Tree from '../src/Tree.js'
import { readArchive, readFile } from './files.js'
import { changes, type Ports, portsOf, registryWith, token } from './registry.js'
import { dir, path, set, storageOf, succeeded, textFile } from './support.js'

const open = set({ '/': 'public' })
const content = [dir('r', textFile('f', 'text of f'), textFile('g', 'text of g')), textFile('top', 'top')]

type FilePorts = Ports & OpenFileEnv

/** Ports that count the open files. The registry changes after each opening, before the answer is received. */
const counting = (settings = open, nodes = content, change = {}) => {
  const registry = registryWith(settings)
  const storage = storageOf(nodes)
  const state = { opened: 0, closed: 0, isOpen: () => state.opened - state.closed }
  const openFile: OpenFileEnv['openFile'] = (of, at, options) => async () => {
    const answer = await storage.openFile(of, at, options)()
    Object.assign(registry, change)
    if (E.isLeft(answer)) return answer
    state.opened += 1
    const close = async () => {
      state.closed += 1
    }
    return E.right({ ...answer.right, close })
  }
  const ports: FilePorts = { ...portsOf(registry, storage), openFile }
  return { ports, state, registry }
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

describe('a file', () => {
  const closed = set({ '/': 'public', '/top': 'private' })
  const onlyR = set({ '/r': 'public' })
  const { typeMismatch } = Failure

  it.each<readonly [string, typeof asOwner, string, Settings.Settings, E.Either<Failure.Failure, object>]>([
    ['has its name and bytes', asVisitor, '/r/f', open, E.right({ name: 'f', size: 9n, text: 'text of f' })],
    ['opens for its owner if it is private', asOwner, '/r/f', set({}), E.right({ text: 'text of f' })],
    ['is not found if it is missing', asVisitor, '/no', open, E.left(Failure.fileNotFound)],
    ['is denied to visitors if it is private', asVisitor, '/top', closed, E.left(Failure.permissionDenied)],
    ['never opens at /r below a private path', asVisitor, '/r', onlyR, E.left(typeMismatch)],
    ['never opens at /r/ below a private path', asVisitor, '/r/', onlyR, E.left(typeMismatch)],
    ...['/r', '/r/', '/', '/top/', '/top/x'].flatMap((raw) =>
      [asVisitor, asOwner].map((read) => [`never opens at ${raw}`, read, raw, open, E.left(typeMismatch)] as const),
    ),
  ])('%s', async (_, read, raw, settings, expected) => {
    const { ports, state } = counting(settings)
    expect(await read(raw)(ports)).toMatchObject(expected)
    expect([state.opened, state.isOpen()]).toStrictEqual([E.isRight(expected) ? 1 : 0, 0])
  })

  it('that cannot be read is external', async () => {
    const { ports } = counting()
    const failing = { ...ports, openFile: () => TE.left(Failure.external('EIO')) }
    expect(await asVisitor('/r/f')(failing)).toStrictEqual(E.left(Failure.external('EIO')))
  })

  it('that replaces a directory after the opening is a type mismatch', async () => {
    const { ports } = counting()
    const nodeAt: NodeAtEnv['nodeAt'] = (of) => ports.nodeAt(of, path('/top'))
    expect(await asVisitor('/r')({ ...ports, nodeAt })).toStrictEqual(E.left(Failure.typeMismatch))
  })
})

const ofF = { token, user: '7', path: '/r/f' }

const clients = changes.flatMap(({ owner, visitor, ...change }) => [
  { ...change, client: 'owner', program: fileOperations.storageFile(ofF), failure: owner },
  { ...change, client: 'visitor', program: fileOperations.userContentFile(ofF), failure: visitor },
])

it.each(clients)('if $change during the opening, the $client gets what a new request gets', async (each) => {
  const { ports, state } = counting(open, content, each.to)
  const answer = await pipe(each.program(ports), TE.flatMap(readFile))()
  expect(answer).toMatchObject(each.failure === undefined ? E.right({ text: 'text of f' }) : E.left(each.failure))
  expect([state.opened > 0, state.isOpen()]).toStrictEqual([true, 0])
})

it.each(clients)('if $change during the sending, the next check fails alike: $client', async (each) => {
  const { ports, registry } = counting()
  const { authorizeAgain } = succeeded(await each.program(ports)())
  expect(await authorizeAgain()).toStrictEqual(E.right(undefined))
  Object.assign(registry, each.to)
  expect(await authorizeAgain()).toStrictEqual(each.failure === undefined ? E.right(undefined) : E.left(each.failure))
})

const withoutF = E.right(['/r dir', '/r/g text of g'])

describe('an archive', () => {
  const hiddenF = set({ '/': 'public', '/r/f': 'hidden' })
  const hiddenR = set({ '/': 'public', '/r': 'hidden' })
  const noLongerShown = Failure.external(new Error('a directory became invisible while it was being read: retry'))

  it.each<[string, string, Settings.Settings, Settings.Settings, E.Either<Failure.Failure, object>]>([
    ['has what its client sees', '/', hiddenF, hiddenF, E.right(['/ dir', '/r dir', '/r/g text of g', '/top top'])],
    ['of a file is a type mismatch', '/top', open, open, E.left(Failure.typeMismatch)],
    ['omits a file that is hidden during its opening', '/r', open, hiddenF, withoutF],
    ['ends if a directory that it has begun is hidden', '/', open, hiddenR, E.left(noLongerShown)],
    ['ends if the requested directory is made private', '/r', open, set({}), E.left(Failure.permissionDenied)],
  ])('%s', async (_, raw, before, after, expected) => {
    const { ports, state } = counting(before, content, { settings: after })
    expect(await archiveOf(raw)(ports)).toStrictEqual(expected)
    expect(state.isOpen()).toBe(0)
  })

  it('ends a file that is hidden while it is sent', async () => {
    const { ports, registry } = counting()
    const program = fileOperations.userContentArchive({ user: '7', path: '/r' }, Tree.unbounded)
    const file = succeeded(await succeeded(await program(ports)()).open(path('/r/f'))())
    expect(await file.authorizeAgain()).toStrictEqual(E.right(undefined))
    registry.settings = set({ '/': 'public', '/r/f': 'hidden' })
    expect(await file.authorizeAgain()).toStrictEqual(E.left(Failure.fileNotFound))
  })

  it.each([
    ['omits a file that was removed', Failure.fileNotFound, withoutF],
    ['omits a file that a directory replaced', Failure.typeMismatch, withoutF],
    ['ends at a file that cannot be read', Failure.external('EIO'), E.left(Failure.external('EIO'))],
  ])('%s', async (_, failure, expected) => {
    const { ports } = counting()
    const openFile: OpenFileEnv['openFile'] = (of, at) => (at === '/r/f' ? TE.left(failure) : ports.openFile(of, at))
    expect(await archiveOf('/r')({ ...ports, openFile })).toStrictEqual(expected)
  })
})
