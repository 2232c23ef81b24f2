import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import * as Failure from '../src/Failure.js'
import * as Items from '../src/Items.js'
import { operations } from '../src/operations.js'
import type { AreaOfTokenEnv, AreaOfUserEnv, ListEnv, NodeAtEnv, SettingsOfEnv, TriggerOfEnv } from '../src/ports.js'
import * as Settings from '../src/Settings.js'
import * as Tree from '../src/Tree.js'
import { area, dir, file, path, set, shouldNotBeCalled, storageOf } from './support.js'

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
  list: (asked, at) => (asked === area ? storage.list(asked, at) : down()),
})

type Answer = (credential: string, raw: string) => (ports: Ports) => TE.TaskEither<Failure.Failure, unknown>

const tree = TE.flatMapTask(Tree.collect)
const items = TE.map(Items.collect)

const byToken: ReadonlyArray<readonly [string, Answer]> = [
  ['tree lookup', (token, path) => (ports) => tree(operations.storageTree({ token, path }, Tree.unbounded)(ports))],
  [
    'directory listing',
    (token, path) => (ports) => items(operations.storageDirItems({ token, path }, Items.wholeListing)(ports)),
  ],
]

const byUser: ReadonlyArray<readonly [string, Answer]> = [
  ['tree lookup', (user, path) => (ports) => tree(operations.userContentTree({ user, path }, Tree.unbounded)(ports))],
  [
    'directory listing',
    (user, path) => (ports) => items(operations.userContentDirItems({ user, path }, Items.wholeListing)(ports)),
  ],
]

const failureOf = async (answer: TE.TaskEither<Failure.Failure, unknown>): Promise<Failure.Failure | undefined> => {
  const answered = await answer()
  return E.isLeft(answered) ? answered.left : undefined
}

const malformed = '/%'

describe.each(byToken)('operations 1 and 3 check token, account, path syntax, scope, storage: %s', (_, answer) => {
  it.each(['', 'x', '%', token.slice(1), `${token}A`, token.toLowerCase()])(
    'a malformed token is an invalid token: %j',
    async (raw) => {
      expect(await failureOf(answer(raw, malformed)(untouched))).toStrictEqual(Failure.invalidToken)
    },
  )

  it.each([Failure.invalidToken, Failure.notVerified, external])(
    'the token is decided before the path: $error',
    async (failure) => {
      expect(
        await failureOf(answer(token, malformed)({ ...untouched, areaOfToken: () => TE.left(failure) })),
      ).toStrictEqual(failure)
    },
  )

  it('path syntax before scope', async () => {
    expect(await failureOf(answer(token, malformed)({ ...untouched, ...granted('/d') }))).toStrictEqual(
      Failure.fileNotFound,
    )
  })

  it.each(['', '/', '/f', '/missing', '/d2', '/d.', '/f/d'])('scope before anything is looked up: %j', async (raw) => {
    expect(await failureOf(answer(token, raw)({ ...untouched, ...granted('/d') }))).toStrictEqual(
      Failure.permissionDenied,
    )
  })

  it('a failing registry is external', async () => {
    expect(await failureOf(answer(token, '/d')({ ...untouched, ...granted('/d'), settingsOf: down }))).toStrictEqual(
      external,
    )
  })

  it('a failing storage is external', async () => {
    const ports = { ...untouched, ...granted('/'), ...known(Settings.none), nodeAt: down, list: down }
    expect(await failureOf(answer(token, '/d')(ports))).toStrictEqual(external)
  })

  it("asks for the settings of the area's owner, and looks into that area", async () => {
    const ports = { ...untouched, ...granted('/'), ...itsOwn(Settings.none) }
    expect(E.isRight(await answer(token, '/d')(ports)())).toBe(true)
  })

  it.each([
    ['/missing', Failure.fileNotFound],
    ['/f/', Failure.typeMismatch],
    ['/f/x', Failure.typeMismatch],
    ['/f/x/', Failure.typeMismatch],
  ])('%s', async (raw, failure) => {
    expect(
      await failureOf(answer(token, raw)({ ...untouched, ...granted('/'), ...known(Settings.none), ...storage })),
    ).toStrictEqual(failure)
  })
})

describe.each(byUser)('operations 2 and 4 check path syntax, account and visibility, storage: %s', (_, answer) => {
  const open = set({ '/': 'public' })

  it.each(['me', '042', '%', '', '7'])('path syntax before the account: %j', async (user) => {
    expect(await failureOf(answer(user, malformed)(untouched))).toStrictEqual(Failure.fileNotFound)
  })

  it.each(['', 'me', '042', '-1', '%', '18446744073709551616'])('what is no account id is denied: %j', async (user) => {
    expect(await failureOf(answer(user, '/d')(untouched))).toStrictEqual(Failure.permissionDenied)
  })

  it('a private path is denied before the storage is touched', async () => {
    const denied = async (raw: string, settings: Settings.Settings) =>
      answer('7', raw)({ ...untouched, ...known(settings), ...verified })()
    const private_ = set({ '/': 'public', '/d': 'private' })
    for (const [raw, settings] of [
      ['/d', Settings.none],
      ['/missing', Settings.none],
      ['/d', private_],
      ['/d/g', private_],
    ] as const)
      expect(await denied(raw, settings)).toStrictEqual(E.left(Failure.permissionDenied))
  })

  it('settings and account are both looked up before either decides, so that their time says nothing', async () => {
    const asked: Array<string> = []
    const ports = (settings: Settings.Settings, account: AreaOfUserEnv): Ports => ({
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
    await answer('7', '/d')(ports(Settings.none, verified))()
    await answer('7', '/d')(ports(Settings.none, unverified))()
    await answer('7', '/d')(ports(open, unverified))()
    expect(asked).toStrictEqual(['settings', 'account', 'settings', 'account', 'settings', 'account'])
  })

  it('an unverified account is denied before the storage is touched', async () => {
    expect(await failureOf(answer('7', '/d')({ ...untouched, ...known(open), ...unverified }))).toStrictEqual(
      Failure.permissionDenied,
    )
  })

  it('an unknown account, an unverified one and a private root are denied alike', async () => {
    const unknown = { ...untouched, ...known(Settings.none), ...unverified }
    const closed = { ...untouched, ...known(Settings.none), ...verified }
    const notYet = { ...untouched, ...known(open), ...unverified }
    const answers = await Promise.all([unknown, closed, notYet].map((ports) => answer('7', '')(ports)()))
    expect(new Set(answers.map((each) => JSON.stringify(each))).size).toBe(1)
    expect(answers[0]).toStrictEqual(E.left(Failure.permissionDenied))
  })

  it('a failing registry is external', async () => {
    expect(await failureOf(answer('7', '/d')({ ...untouched, settingsOf: down }))).toStrictEqual(external)
    expect(await failureOf(answer('7', '/d')({ ...untouched, ...known(open), areaOfUser: down }))).toStrictEqual(
      external,
    )
  })

  it('a failing storage is external', async () => {
    expect(
      await failureOf(answer('7', '/d')({ ...untouched, ...known(open), ...verified, nodeAt: down, list: down })),
    ).toStrictEqual(external)
  })

  it('asks for the settings and the area of that user, and looks into that area', async () => {
    expect(E.isRight(await answer('7', '/d')({ ...untouched, ...itsOwn(open) })())).toBe(true)
    expect(await failureOf(answer('8', '/d')({ ...untouched, ...itsOwn(open) }))).toStrictEqual(external)
  })

  it.each([
    ['/missing', Failure.fileNotFound],
    ['/f/', Failure.typeMismatch],
    ['/f/x', Failure.typeMismatch],
  ])('%s', async (raw, failure) => {
    expect(await failureOf(answer('7', raw)({ ...untouched, ...known(open), ...verified, ...storage }))).toStrictEqual(
      failure,
    )
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
    expect(await failureOf(operations.triggerPeek({ id })(untouched))).toStrictEqual(Failure.triggerNotFound)
  })

  it.each([Failure.triggerNotFound, external])('fails as the registry does: $error', async (failure) => {
    expect(
      await failureOf(operations.triggerPeek({ id: 'a' })({ ...untouched, triggerOf: () => TE.left(failure) })),
    ).toStrictEqual(failure)
  })
})
