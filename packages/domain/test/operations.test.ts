import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import type { WorldNode } from '../../testkit/src/World.js'
import { concealMismatch } from '../src/concealMismatch.js'
import * as Failure from '../src/Failure.js'
import { operations } from '../src/operations.js'
import type { AreaOfTokenEnv, AreaOfUserEnv, ListEnv, NodeAtEnv, SettingsOfEnv, TriggerOfEnv } from '../src/ports.js'
import * as Settings from '../src/Settings.js'
import * as View from '../src/View.js'
import { collecting, ofOwner, ofVisitor, portsOf, registryWith, token } from './registry.js'
import { area, dir, file, path, requestFor, set, shouldNotBeCalled, storageOf } from './support.js'

type Ports = AreaOfTokenEnv & AreaOfUserEnv & SettingsOfEnv & TriggerOfEnv & NodeAtEnv & ListEnv

const untouched: Ports = {
  areaOfToken: shouldNotBeCalled,
  areaOfUser: shouldNotBeCalled,
  settingsOf: shouldNotBeCalled,
  triggerOf: shouldNotBeCalled,
  nodeAt: shouldNotBeCalled,
  list: shouldNotBeCalled,
}

const { invalidToken, notVerified, permissionDenied, fileNotFound, typeMismatch } = Failure
const external = Failure.external('down')
const down = () => TE.left(external)
const failing = { nodeAt: down, list: down }
const storage = storageOf([file('f', 3n), dir('d', file('g'))])
const granted = (scope: string): AreaOfTokenEnv => ({ areaOfToken: () => TE.right({ area, scope: path(scope) }) })
const known = (settings: Settings.Settings): SettingsOfEnv => ({ settingsOf: () => TE.right(settings) })
const verified: AreaOfUserEnv = { areaOfUser: () => TE.right(area) }
const unverified: AreaOfUserEnv = { areaOfUser: () => TE.left(permissionDenied) }

/** Ports that fail for any other account or area. */
const itsOwn = (settings: Settings.Settings): SettingsOfEnv & AreaOfUserEnv & NodeAtEnv & ListEnv => ({
  settingsOf: (owner) => (owner === area.owner ? TE.right(settings) : down()),
  areaOfUser: (user) => (user === area.owner ? TE.right(area) : down()),
  nodeAt: (of, at) => (of === area ? storage.nodeAt(of, at) : down()),
  list: (of, at, options) => (of === area ? storage.list(of, at, options) : down()),
})

type Rejected = readonly [what: string, Partial<Ports>, Failure.Failure, credential: string, raw: ReadonlyArray<string>]

const malformed = '/%'
const open = set({ '/': 'public' })
const closed = set({ '/': 'public', '/d': 'private' })

const byStorage = (ports: Partial<Ports>, credential: string): ReadonlyArray<Rejected> => [
  ['a failing storage is external', { ...ports, ...failing }, external, credential, ['/d']],
  ['a missing node', { ...ports, ...storage }, fileNotFound, credential, ['/missing']],
  ['a path through a file', { ...ports, ...storage }, typeMismatch, credential, ['/f/', '/f/x', '/f/x/']],
]

const rejectedToken = (failure: Failure.InvalidToken | Failure.NotVerified | Failure.External): Rejected => [
  `the token before the path: ${failure.error}`,
  { areaOfToken: () => TE.left(failure) },
  failure,
  token,
  [malformed],
]

/** An owner is checked by token, account, path, scope, storage. */
const rejectedOwners: ReadonlyArray<Rejected> = [
  ...['', 'x', '%', token.slice(1), `${token}A`, token.toLowerCase()].map(
    (wrong): Rejected => ['a malformed token', {}, invalidToken, wrong, ['/', malformed]],
  ),
  ...[invalidToken, notVerified, external].map(rejectedToken),
  ['path syntax before scope', granted('/d'), fileNotFound, token, [malformed]],
  ['scope before settings', granted('/d'), permissionDenied, token, ['', '/', '/f', '/missing', '/d2', '/f/d']],
  ['a failing registry is external', { ...granted('/d'), settingsOf: down }, external, token, ['/d']],
  ...byStorage({ ...granted('/'), ...known(Settings.none) }, token),
]

/** A visitor is checked by path, account, visibility, storage. */
const rejectedVisitors: ReadonlyArray<Rejected> = [
  ...['me', '042', '%', '', '7'].map(
    (user): Rejected => ['path syntax before the account', {}, fileNotFound, user, [malformed]],
  ),
  ...['', 'me', '042', '-1', '%', '18446744073709551616'].map(
    (user): Rejected => ['a malformed account id', {}, permissionDenied, user, ['/d']],
  ),
  ['no settings', { ...known(Settings.none), ...verified }, permissionDenied, '7', ['', '/d', '/missing']],
  ['a private path', { ...known(closed), ...verified }, permissionDenied, '7', ['/d', '/d/g']],
  ['an unverified account', { ...known(open), ...unverified }, permissionDenied, '7', ['/d', '']],
  ['an unknown account', { ...known(Settings.none), ...unverified }, permissionDenied, '7', ['']],
  ['failing settings are external', { settingsOf: down, ...verified }, external, '7', ['/d']],
  ['failing accounts are external', { ...known(open), areaOfUser: down }, external, '7', ['/d']],
  ['the account of another user', itsOwn(open), external, '8', ['/d']],
  ...byStorage({ ...known(open), ...verified }, '7'),
]

describe.each([
  ...ofOwner.map((operation) => [operation, rejectedOwners] as const),
  ...ofVisitor.map((operation) => [operation, rejectedVisitors] as const),
])('the checks of %s', (operation, rejected) => {
  it.each<Rejected>(rejected)('%s', async (_what, ports, failure, credential, paths) => {
    for (const raw of paths) {
      const answer = await collecting[operation](raw, credential)({ ...untouched, ...ports })()
      expect([raw, answer]).toStrictEqual([raw, E.left(failure)])
    }
  })

  it('admit to the own settings and area', async () => {
    const answer = await collecting[operation]('/d')({ ...untouched, ...granted('/'), ...itsOwn(open) })()
    expect(answer).toMatchObject({ _tag: 'Right' })
  })
})

it.each(ofVisitor)('%s makes the same calls for unverified, unknown and private accounts', async (operation) => {
  for (const [settings, isVerified] of [
    [Settings.none, true],
    [Settings.none, false],
    [open, false],
  ] as const) {
    const calls: Array<string> = []
    const ports = portsOf({ ...registryWith(settings), isVerified }, storage, (call) => calls.push(call))
    await collecting[operation]('/d')(ports)()
    expect(calls).toStrictEqual(['settings', 'account'])
  }
})

describe('a peek', () => {
  it('returns the value of the trigger, and calls no other port', async () => {
    const value = { type: 'link', json: '{"type":"link"}' }
    const triggerOf: TriggerOfEnv['triggerOf'] = (id) => (id === 'a b' ? TE.right(value) : down())
    expect(await operations.triggerPeek({ id: 'a%20b' })({ ...untouched, triggerOf })()).toStrictEqual(E.right(value))
  })

  it.each(['', '%', '..', 'a%2Fb', '%00', 'x'.repeat(256)])(
    'of a malformed id is trigger not found: %j',
    async (id) => {
      expect(await operations.triggerPeek({ id })(untouched)()).toStrictEqual(E.left(Failure.triggerNotFound))
    },
  )

  it.each([Failure.triggerNotFound, external])('fails as the registry does: $error', async (failure) => {
    const ports = { ...untouched, triggerOf: () => TE.left(failure) }
    expect(await operations.triggerPeek({ id: 'a' })(ports)()).toStrictEqual(E.left(failure))
  })
})

describe('a visitor learns of a file on the way only if they may reach it', () => {
  const deep = { '/f': 'hidden', '/f/x': 'private', '/f/x/y': 'public' } as const
  const concealed = { '/': 'public', '/f': 'private', '/f/x': 'public' } as const

  it.each<[string, Parameters<typeof set>[0], string, NodeAtEnv, Failure.OfStorage, Failure.OfStorage]>([
    ['a reachable file is a type mismatch', deep, '/f/x/y', storage, typeMismatch, typeMismatch],
    ['a private file is not found', concealed, '/f/x', storage, typeMismatch, fileNotFound],
    ['a file without a setting is not found', { '/f/x': 'public' }, '/f/x/y', storage, typeMismatch, fileNotFound],
    ['a requested file is a type mismatch', { '/d/g': 'public' }, '/d/g', storage, typeMismatch, typeMismatch],
    ['an open path needs no call', { '/': 'public' }, '/f/x', untouched, typeMismatch, typeMismatch],
    ['a failing storage is external', { '/f/x': 'public' }, '/f/x', failing, typeMismatch, external],
    ['file not found stays', { '/f/x': 'public' }, '/f/x', untouched, fileNotFound, fileNotFound],
    ['external stays', { '/f/x': 'public' }, '/f/x', untouched, external, external],
  ])('%s', async (_, settings, at, ports, failed, seen) => {
    const request = requestFor(View.ofVisitor(area, set(settings)), at)
    expect(await concealMismatch(request, failed)(ports)()).toStrictEqual(E.left(seen))
  })

  it.each([1, 2, 3, 254])(
    'a search from a path of 255 names to a file %i levels above takes nine calls',
    async (levels) => {
      const whole = '/a'.repeat(255)
      const at = whole.slice(0, -2 * levels)
      const above = Array.from({ length: 254 - levels })
      const nested = storageOf([above.reduce<WorldNode>((inside) => dir('a', inside), file('a', 1n))])
      const settings = set({ '/': 'public', [whole]: 'private', [whole.slice(0, -2)]: 'private' })
      let calls = 0
      const nodeAt: NodeAtEnv['nodeAt'] = (...call) => {
        calls += 1
        return nested.nodeAt(...call)
      }
      const seen = View.visitorMayRequest(settings, path(at)) ? typeMismatch : fileNotFound
      const request = requestFor(View.ofVisitor(area, settings), whole)
      expect(await concealMismatch(request, typeMismatch)({ nodeAt })()).toStrictEqual(E.left(seen))
      expect(calls).toBeLessThanOrEqual(9)
    },
  )
})
