import { type Failure, type Settings, TriggerId, UserId, Visibility } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { oddNames } from '../arbitraries/names.js'
import { seeding } from '../seed.js'
import type {
  RegistryPorts,
  SeedRegistry,
  World,
  WorldAccount,
  WorldSetting,
  WorldToken,
  WorldTrigger,
} from '../World.js'
import { all, atOnce, type Claim, inTime, type Law, unlessUnanswered } from './Law.js'
import { saidName } from './storageClaims.js'

export type RegistryClaim = Claim<RegistryPorts>

/** Asked this, a port must answer so: a failure by its name, anything else as `said` says it. */
export const answers =
  <A>(
    question: string,
    ask: (ports: RegistryPorts) => TE.TaskEither<Failure.Failure, A>,
    said: (answer: A) => string,
    expected: string,
  ): RegistryClaim =>
  async (ports) => {
    const found = pipe(
      await ask(ports)(),
      E.match(({ error }): string => error, said),
    )
    return found === expected ? [] : [`${question} must be ${expected}, and is ${found}`]
  }

/** A claim about a value of the domain; a law that spells it wrongly is violated by every registry. */
export const about = <A>(
  question: string,
  value: E.Either<unknown, A>,
  claim: (value: A) => RegistryClaim,
): RegistryClaim =>
  pipe(
    value,
    E.match((): RegistryClaim => async () => [`the law itself is wrong: ${question} asks for nothing legal`], claim),
  )

const inTimeAll = (ports: RegistryPorts): RegistryPorts => ({
  areaOfToken: (token) => inTime(`areaOfToken ${saidName(token)}`, () => ports.areaOfToken(token)),
  areaOfUser: (user) => inTime(`areaOfUser ${user}`, () => ports.areaOfUser(user)),
  settingsOf: (owner) => inTime(`settingsOf ${owner}`, () => ports.settingsOf(owner)),
  triggerOf: (id) => inTime(`triggerOf ${saidName(id)}`, () => ports.triggerOf(id)),
})

const throwing = unlessUnanswered((thrown) => `a port must not throw ${String(thrown)}`)

/** In every registry that knows these accounts and triggers, all these claims are so. */
export const registryLaw = (
  name: string,
  known: ReadonlyArray<WorldAccount> | Pick<World, 'triggers'>,
  claims: ReadonlyArray<RegistryClaim>,
): Law<SeedRegistry> => ({
  name,
  violations: async (seed) => {
    const world = 'triggers' in known ? { accounts: [], ...known } : { accounts: known, triggers: [] }
    const { ports, close } = await seeding(`the law "${name}"`, () => seed(world))
    try {
      return await all(
        claims.map(
          (claim): RegistryClaim =>
            (asked) =>
              claim(asked).catch(throwing),
        ),
      )(inTimeAll(ports))
    } finally {
      await close()
    }
  },
})

/** A different well-formed token for every number. */
export const tokenOf = (n: number): string => `cnp_${String(n).padStart(42, 'A')}A`

export const validToken = (token: string, scope = '/'): WorldToken => ({ token, scope, state: 'valid' })

export const account = (
  id: string,
  { tokens = [], settings = [], verified = true }: Partial<WorldAccount> = {},
): WorldAccount => ({ id, verified, tokens, settings, area: [] })

export const publicAt = (path: string): WorldSetting => ({ path, visibility: 'public' })

export const trigger = (id: string, value = '{"type":"t"}', state: WorldTrigger['state'] = 'valid'): WorldTrigger => ({
  id,
  value,
  state,
})

const edges = [9n, 10n, 100n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 63n]

/** Where a number held in 32, 53 or 63 bits, or as text without padding, goes wrong. */
export const edgeIds: ReadonlyArray<string> = [0n, 1n, ...edges, 2n ** 64n - 2n, 2n ** 64n - 1n].map(String)

const saidSettings = (settings: Settings.Settings): ReadonlyArray<string> =>
  Array.from(settings, ([path, visibility]) => `${saidName(path)} ${visibility}`)

const notIn = (all: ReadonlyArray<string>) => {
  const known = new Set(all)
  return (one: string) => !known.has(one)
}

/** What was answered of one account stays as it was while another one is asked for. */
const settingsStay = (id: string, otherId: string): RegistryClaim =>
  about(`the user ${id}`, UserId.codec.decode(id), (user) =>
    about(`the user ${otherId}`, UserId.codec.decode(otherId), (other) => async (ports) => {
      const answer = await ports.settingsOf(user)()
      const said = () => (answer._tag === 'Left' ? answer.left.error : saidSettings(answer.right).join(', '))
      const before = said()
      await ports.settingsOf(other)()
      return said() === before ? [] : [`the settings of ${id} must not change when those of ${otherId} are asked for`]
    }),
  )

/** In the area of this account exactly these are set. */
const settingsAre = (id: string, settings: ReadonlyArray<WorldSetting>): RegistryClaim =>
  about(`the user ${id}`, UserId.codec.decode(id), (user) => async (ports) => {
    const answer = await ports.settingsOf(user)()
    if (answer._tag === 'Left') return [`the settings of ${id} are ${answer.left.error}`]
    const found = saidSettings(answer.right)
    const expected = settings.map(({ path, visibility }) => `${saidName(path)} ${visibility}`)
    return [
      ...expected.filter(notIn(found)).map((one) => `the settings of ${id} lack ${one}`),
      ...found.filter(notIn(expected)).map((one) => `the settings of ${id} must not hold ${one}`),
    ]
  })

const several: ReadonlyArray<WorldSetting> = [
  { path: '/', visibility: 'hidden' },
  { path: '/a', visibility: 'public' },
  { path: '/a/b', visibility: 'private' },
  { path: '/a/b/c', visibility: 'hidden' },
  { path: '/ab', visibility: 'public' },
]

const inTurn = (path: string, i: number): WorldSetting => ({
  path,
  visibility: Visibility.all[i % Visibility.all.length] ?? 'private',
})

const oddPaths = oddNames.map((name, i) => inTurn(`/${name}`, i))

const many = Array.from({ length: 1_500 }, (_, i) => inTurn(`/d${i % 10}/f${i}`, i))

/** Digits that no compression makes short: an index may not take the whole of a long path. */
const noise = (length: number): string =>
  Array.from({ length }, (_, i) => Math.abs(Math.trunc(Math.sin(i + 1) * 1e9) % 36).toString(36)).join('')

const longest = `/${Array.from({ length: 16 }, (_, i) => noise(4096).slice(i * 256, i * 256 + 255)).join('/')}`
const deepest = `/${Array.from({ length: 255 }, (_, i) => `${i % 10}`).join('/')}`
const longs = [longest, longest.slice(0, -1), deepest].map(inTurn)

/** The contract of `settingsOf`. */
export const settingsLaws: ReadonlyArray<Law<SeedRegistry>> = [
  registryLaw(
    'the settings of an area are exactly those that were made',
    [account('7', { settings: several })],
    [settingsAre('7', several)],
  ),
  registryLaw('there may be many of them', [account('7', { settings: many })], [settingsAre('7', many)]),
  registryLaw(
    'an area where nothing is set, and an unknown account, have none',
    [account('7'), account('8', { settings: several })],
    [settingsAre('7', []), settingsAre('9', []), settingsAre('0', [])],
  ),
  registryLaw(
    'each account has its own, whichever u64 its id is',
    edgeIds.map((id) => account(id, { settings: [publicAt('/shared'), publicAt(`/${id}`)] })),
    [
      ...edgeIds.map((id) => settingsAre(id, [publicAt('/shared'), publicAt(`/${id}`)])),
      ...edgeIds.slice(1).map((id, i) => settingsStay(edgeIds[i] ?? id, id)),
    ],
  ),
  registryLaw(
    'what is asked at once is answered as one after the other',
    edgeIds.map((id) => account(id, { settings: [publicAt(`/${id}`)] })),
    [atOnce(edgeIds.map((id) => settingsAre(id, [publicAt(`/${id}`)])))],
  ),
  registryLaw(
    'also of an account that is not verified',
    [account('7', { verified: false, settings: several })],
    [settingsAre('7', several)],
  ),
  registryLaw('paths are stored to the byte', [account('7', { settings: oddPaths })], [settingsAre('7', oddPaths)]),
  registryLaw(
    'a path may be as long and as deep as paths can be',
    [account('7', { settings: longs })],
    [settingsAre('7', longs)],
  ),
  registryLaw(
    'asking changes nothing',
    [account('7', { settings: several })],
    [1, 2, 3].map(() => settingsAre('7', several)),
  ),
]

const triggerSays = (text: string, expected: string): RegistryClaim =>
  about(`the trigger ${saidName(text)}`, TriggerId.codec.decode(text), (id) =>
    answers(
      `the trigger ${saidName(text)}`,
      (ports) => ports.triggerOf(id),
      ({ type, json }) => `${saidName(type)} ${json}`,
      expected,
    ),
  )

const triggerHolds = (id: string, type: string, json: string): RegistryClaim =>
  triggerSays(id, `${saidName(type)} ${json}`)

const triggerIsNotFound = (id: string): RegistryClaim => triggerSays(id, 'trigger not found')

/** Each loses something when JSON is read and written again. */
const values = [
  '{"type":"t"}',
  '{"type":"t","n":18446744073709551615,"x":1.0,"e":1e400}',
  '{ "type" : "t" ,\n\t"z":1, "a":2 }',
  '{"type":"t","type2":null,"deep":{"type":"u","list":[1,[2,{"b":false}]]}}',
  '{"type":"t","s":"\\u00e9 é \\ud83d\\ude00 \\/ \\u0000"}',
  '{"a":1,"type":"t","a":2}',
  `{"type":"t","long":"${'x'.repeat(100_000)}"}`,
]

const oddTriggers = oddNames.map((name, i) => trigger(name, `{"type":"t","n":${i}}`))

/** The contract of `triggerOf`. */
export const triggersLaws: ReadonlyArray<Law<SeedRegistry>> = [
  registryLaw(
    'what a trigger holds is passed on as it is, to the byte',
    { triggers: values.map((value, i) => trigger(`t${i}`, value)) },
    values.map((value, i) => triggerHolds(`t${i}`, 't', value)),
  ),
  registryLaw('a trigger has its type', { triggers: [trigger('a', '{"type":""}'), trigger('b', '{"type":"ü t"}')] }, [
    triggerHolds('a', '', '{"type":""}'),
    triggerHolds('b', 'ü t', '{"type":"ü t"}'),
  ]),
  registryLaw(
    'unknown, expired and deleted triggers are `trigger not found`',
    {
      triggers: [
        trigger('valid'),
        trigger('expired', '{"type":"t"}', 'expired'),
        trigger('deleted', '{"type":"t"}', 'deleted'),
      ],
    },
    [...['unknown', 'expired', 'deleted'].map(triggerIsNotFound), triggerHolds('valid', 't', '{"type":"t"}')],
  ),
  registryLaw('ids compare to the byte', { triggers: oddTriggers }, [
    ...oddNames.map((name, i) => triggerHolds(name, 't', `{"type":"t","n":${i}}`)),
    ...['_', '__', 'line', 'NAME.', 'name', '.HIDDEN'].map(triggerIsNotFound),
  ]),
  registryLaw(
    'what is asked at once is answered as one after the other',
    { triggers: values.map((value, i) => trigger(`t${i}`, value)) },
    [atOnce(values.map((value, i) => triggerHolds(`t${i}`, 't', value)))],
  ),
  registryLaw(
    'peeking changes nothing',
    { triggers: [trigger('a')] },
    [1, 2, 3].map(() => triggerHolds('a', 't', '{"type":"t"}')),
  ),
]
