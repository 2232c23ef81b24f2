import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import type { WorldNode } from '../../testkit/src/World.js'
import { concealMismatch } from '../src/concealMismatch.js'
import * as Failure from '../src/Failure.js'
import * as Items from '../src/Items.js'
import { operations } from '../src/operations.js'
import type { AreaOfTokenEnv, AreaOfUserEnv, ListEnv, NodeAtEnv, SettingsOfEnv, TriggerOfEnv } from '../src/ports.js'
import * as Settings from '../src/Settings.js'
import * as Tree from '../src/Tree.js'
import * as View from '../src/View.js'
import { area, dir, file, path, requestFor, set, shouldNotBeCalled, storageOf } from './support.js'

type Ports = AreaOfTokenEnv & AreaOfUserEnv & SettingsOfEnv & TriggerOfEnv & NodeAtEnv & ListEnv

/** Whatever an operation touches and no test allows it to, fails the test. */
const untouched: Ports = {
  areaOfToken: shouldNotBeCalled,
  areaOfUser: shouldNotBeCalled,
  settingsOf: shouldNotBeCalled,
  triggerOf: shouldNotBeCalled,
  nodeAt: shouldNotBeCalled,
  list: shouldNotBeCalled,
}

const token = `cnp_${'A'.repeat(43)}`
const external = Failure.external('down')
const down = () => TE.left(external)
const storage = storageOf([file('f', 3n), dir('d', file('g'))])
const granted = (scope: string): AreaOfTokenEnv => ({ areaOfToken: () => TE.right({ area, scope: path(scope) }) })
const known = (settings: Settings.Settings): SettingsOfEnv => ({ settingsOf: () => TE.right(settings) })
const verified: AreaOfUserEnv = { areaOfUser: () => TE.right(area) }
const unverified: AreaOfUserEnv = { areaOfUser: () => TE.left(Failure.permissionDenied) }

/** Ports that know this one account and area and no other. */
const itsOwn = (settings: Settings.Settings): SettingsOfEnv & AreaOfUserEnv & NodeAtEnv & ListEnv => ({
  settingsOf: (owner) => (owner === area.owner ? TE.right(settings) : down()),
  areaOfUser: (user) => (user === area.owner ? TE.right(area) : down()),
  nodeAt: (asked, at) => (asked === area ? storage.nodeAt(asked, at) : down()),
  list: (asked, at, options) => (asked === area ? storage.list(asked, at, options) : down()),
})

type Answer = (credential: string, raw: string) => (ports: Ports) => TE.TaskEither<Failure.Failure, unknown>

const tree = TE.flatMap(Tree.collect)
const items = TE.flatMap(Items.collect)

const byToken: ReadonlyArray<readonly [string, Answer]> = [
  ['tree', (token, path) => (ports) => tree(operations.storageTree({ token, path }, Tree.unbounded)(ports))],
  ['items', (token, path) => (ports) => items(operations.storageDirItems({ token, path }, Items.unbounded)(ports))],
]

const byUser: ReadonlyArray<readonly [string, Answer]> = [
  ['tree', (user, path) => (ports) => tree(operations.userContentTree({ user, path }, Tree.unbounded)(ports))],
  ['items', (user, path) => (ports) => items(operations.userContentDirItems({ user, path }, Items.unbounded)(ports))],
]

/** What is asked, over ports that may be touched, and how it fails. */
type Refusal = readonly [what: string, credential: string, raw: string, ports: Partial<Ports>, Failure.Failure]

const each = <A>(all: ReadonlyArray<A>, refusal: (a: A) => Refusal): ReadonlyArray<Refusal> => all.map(refusal)

const { invalidToken, notVerified, permissionDenied, fileNotFound, typeMismatch } = Failure
const malformed = '/%'
const failing = { nodeAt: down, list: down }

describe.each(byToken)('operations 1 and 3 check token, account, path syntax, scope, storage: %s', (_, answer) => {
  const whole = { ...granted('/'), ...known(Settings.none) }

  it.each<Refusal>([
    ...each(['', 'x', '%', token.slice(1), `${token}A`, token.toLowerCase()], (wrong) => [
      'a malformed token is an invalid token, also where the path is malformed',
      wrong,
      malformed,
      {},
      invalidToken,
    ]),
    ...each([invalidToken, notVerified, external], (failure) => [
      `the token is decided before the path: ${failure.error}`,
      token,
      malformed,
      { areaOfToken: () => TE.left(failure) },
      failure,
    ]),
    ['path syntax before scope', token, malformed, granted('/d'), fileNotFound],
    ...each(['', '/', '/f', '/missing', '/d2', '/d.', '/f/d'], (raw) => [
      `scope before anything is looked up: ${raw}`,
      token,
      raw,
      granted('/d'),
      permissionDenied,
    ]),
    ['a failing registry is external', token, '/d', { ...granted('/d'), settingsOf: down }, external],
    ['a failing storage is external', token, '/d', { ...whole, ...failing }, external],
    ['what is missing', token, '/missing', { ...whole, ...storage }, fileNotFound],
    ['a file that must be a directory', token, '/f/', { ...whole, ...storage }, typeMismatch],
    ['what runs through a file', token, '/f/x', { ...whole, ...storage }, typeMismatch],
    ['what runs through a file, with a slash', token, '/f/x/', { ...whole, ...storage }, typeMismatch],
  ])('%s', async (_what, credential, raw, ports, failure) => {
    expect(await answer(credential, raw)({ ...untouched, ...ports })()).toStrictEqual(E.left(failure))
  })

  it("asks for the settings of the area's owner, and looks into that area", async () => {
    const ports = { ...untouched, ...granted('/'), ...itsOwn(Settings.none) }
    expect(E.isRight(await answer(token, '/d')(ports)())).toBe(true)
  })
})

describe.each(byUser)('operations 2 and 4 check path syntax, account and visibility, storage: %s', (_, answer) => {
  const open = set({ '/': 'public' })
  const closed = set({ '/': 'public', '/d': 'private' })
  const whole = { ...known(open), ...verified }

  it.each<Refusal>([
    ...each(['me', '042', '%', '', '7'], (user) => [
      `path syntax before the account: ${user}`,
      user,
      malformed,
      {},
      fileNotFound,
    ]),
    ...each(['', 'me', '042', '-1', '%', '18446744073709551616'], (user) => [
      `what is no account id is denied: ${user}`,
      user,
      '/d',
      {},
      permissionDenied,
    ]),
    ...each(
      [
        ['/d', Settings.none],
        ['/missing', Settings.none],
        ['/d', closed],
        ['/d/g', closed],
      ] as const,
      ([raw, settings]) => [
        `a private path is denied before the storage is touched: ${raw}`,
        '7',
        raw,
        { ...known(settings), ...verified },
        permissionDenied,
      ],
    ),
    [
      'an unverified account is denied before the storage is touched',
      '7',
      '/d',
      { ...known(open), ...unverified },
      permissionDenied,
    ],
    ['its root is denied alike', '7', '', { ...known(open), ...unverified }, permissionDenied],
    ['and that of an unknown account', '7', '', { ...known(Settings.none), ...unverified }, permissionDenied],
    ['and a private root', '7', '', { ...known(Settings.none), ...verified }, permissionDenied],
    ['failing settings are external', '7', '/d', { settingsOf: down, ...verified }, external],
    ['failing accounts are external', '7', '/d', { ...known(open), areaOfUser: down }, external],
    ['a failing storage is external', '7', '/d', { ...whole, ...failing }, external],
    ['the account of another user', '8', '/d', itsOwn(open), external],
    ['what is missing', '7', '/missing', { ...whole, ...storage }, fileNotFound],
    ['a file that must be a directory', '7', '/f/', { ...whole, ...storage }, typeMismatch],
    ['what runs through a file', '7', '/f/x', { ...whole, ...storage }, typeMismatch],
  ])('%s', async (_what, credential, raw, ports, failure) => {
    expect(await answer(credential, raw)({ ...untouched, ...ports })()).toStrictEqual(E.left(failure))
  })

  it('settings and account are both looked up before either decides, so that their time says nothing', async () => {
    const asked: Array<string> = []
    const asking = (settings: Settings.Settings, account: AreaOfUserEnv): Ports => ({
      ...untouched,
      settingsOf: (user) => {
        asked.push('settings')
        return known(settings).settingsOf(user)
      },
      areaOfUser: (user) => {
        asked.push('account')
        return account.areaOfUser(user)
      },
    })
    await answer('7', '/d')(asking(Settings.none, verified))()
    await answer('7', '/d')(asking(Settings.none, unverified))()
    await answer('7', '/d')(asking(open, unverified))()
    expect(asked).toStrictEqual(['settings', 'account', 'settings', 'account', 'settings', 'account'])
  })

  it('asks for the settings and the area of that user, and looks into that area', async () => {
    expect(E.isRight(await answer('7', '/d')({ ...untouched, ...itsOwn(open) })())).toBe(true)
  })
})

describe('operation 5 returns what the trigger holds', () => {
  const value = { type: 'link', json: '{"type":"link"}' }

  it('and touches nothing else', async () => {
    const answer = operations.triggerPeek({ id: 'a%20b' })({
      ...untouched,
      triggerOf: (id) => (id === 'a b' ? TE.right(value) : TE.left(Failure.triggerNotFound)),
    })
    expect(await answer()).toStrictEqual(E.right(value))
  })

  it.each(['', '%', '..', 'a%2Fb', '%00', 'x'.repeat(256)])('a malformed id is trigger not found: %j', async (id) => {
    expect(await operations.triggerPeek({ id })(untouched)()).toStrictEqual(E.left(Failure.triggerNotFound))
  })

  it.each([Failure.triggerNotFound, external])('fails as the registry does: $error', async (failure) => {
    const ports = { ...untouched, triggerOf: () => TE.left(failure) }
    expect(await operations.triggerPeek({ id: 'a' })(ports)()).toStrictEqual(E.left(failure))
  })
})

const deepInFile = { '/f': 'hidden', '/f/x': 'private', '/f/x/y': 'public' } as const
const privateFile = { '/': 'public', '/f': 'private', '/f/x': 'public' } as const

type Failed = Failure.OfStorage

describe('a visitor learns of a file in the way only when they may reach that file', () => {
  it.each<[string, Parameters<typeof set>[0], string, NodeAtEnv, Failed, Failed]>([
    ['a file that they may reach is a type mismatch', deepInFile, '/f/x/y', storage, typeMismatch, typeMismatch],
    ['a private file is not there', privateFile, '/f/x', storage, typeMismatch, fileNotFound],
    ['nor is one where nothing is set', { '/f/x': 'public' }, '/f/x/y', storage, typeMismatch, fileNotFound],
    ['one that is asked for itself is a mismatch', { '/d/g': 'public' }, '/d/g', storage, typeMismatch, typeMismatch],
    ['nothing is asked below what they may reach', { '/': 'public' }, '/f/x', untouched, typeMismatch, typeMismatch],
    ['a storage that fails is external', { '/f/x': 'public' }, '/f/x', failing, typeMismatch, external],
    ['what is not found stays so', { '/f/x': 'public' }, '/f/x', untouched, fileNotFound, fileNotFound],
    ['what is external stays so', { '/f/x': 'public' }, '/f/x', untouched, external, external],
  ])('%s', async (_, settings, at, ports, failed, seen) => {
    const request = requestFor(View.ofVisitor(area, set(settings)), at)
    expect(await concealMismatch(request, failed)(ports)()).toStrictEqual(E.left(seen))
  })

  it.each([1, 2, 3, 254])('one with so many names below it, of 255, is found in nine questions: %i', async (below) => {
    const whole = '/a'.repeat(255)
    const at = whole.slice(0, -2 * below)
    const deep = storageOf([
      Array.from({ length: 254 - below }).reduce<WorldNode>((inside) => dir('a', inside), file('a', 1n)),
    ])
    const settings = set({ '/': 'public', [whole]: 'private', [whole.slice(0, -2)]: 'private' })
    const request = requestFor(View.ofVisitor(area, settings), whole)
    let questions = 0
    const nodeAt: NodeAtEnv['nodeAt'] = (...question) => {
      questions += 1
      return deep.nodeAt(...question)
    }
    const seen = View.visitorMaySee(settings, path(at)) ? typeMismatch : fileNotFound
    expect(await concealMismatch(request, typeMismatch)({ nodeAt })()).toStrictEqual(E.left(seen))
    expect(questions).toBeLessThanOrEqual(9)
  })
})
