import { Rules, Settings, type TriggerId, type TriggerValue, type UserId, Visibility } from '@canopy/domain'
import { oddNames } from '../arbitraries/names.js'
import { seeding } from '../seed.js'
import type {
  RegistryPorts,
  SeedRegistry,
  World,
  WorldAccount,
  WorldRule,
  WorldSetting,
  WorldToken,
  WorldTrigger,
} from '../World.js'
import {
  type Claim,
  concurrently,
  describeResult,
  type Law,
  mustBe,
  quoteName,
  violationsOf,
  withTimeout,
} from './Law.js'

export type RegistryClaim = Claim<RegistryPorts>

/** Checks all claims in a registry with these accounts or triggers: first in sequence, then, because reads change nothing, at once. */
export const registryLaw = (
  name: string,
  known: ReadonlyArray<WorldAccount> | Pick<World, 'triggers'>,
  claims: ReadonlyArray<RegistryClaim>,
): Law<SeedRegistry> => ({
  name,
  violations: async (seed) => {
    const world = 'triggers' in known ? { accounts: [], ...known } : { accounts: known, triggers: [] }
    const seeded = await seeding(`the law "${name}"`, () => seed(world))
    const { areaOfToken, areaOfUser, settingsOf, triggerOf } = seeded.ports
    try {
      const ports = {
        areaOfToken: withTimeout(areaOfToken, (token) => `areaOfToken ${quoteName(token)}`),
        areaOfUser: withTimeout(areaOfUser, (user) => `areaOfUser ${user}`),
        settingsOf: withTimeout(settingsOf, (owner) => `settingsOf ${owner}`),
        triggerOf: withTimeout(triggerOf, (id) => `triggerOf ${quoteName(id)}`),
      }
      const violations = await violationsOf(claims, ports)
      if (violations.length > 0) return violations
      const again = await violationsOf([concurrently(claims)], ports)
      return again.map((violation) => `asked again, all at once: ${violation}`)
    } finally {
      await seeded.close()
    }
  },
})

/** Returns a well-formed token for a number. */
export const tokenOf = (n: number): string => `cnp_${String(n).padStart(42, 'A')}A`

export const validToken = (token: string, scope = '/'): WorldToken => ({ token, scope, state: 'valid' })

export const account = (
  id: string,
  { tokens = [], settings = [], rules = [], verified = true }: Partial<WorldAccount> = {},
): WorldAccount => ({ id, verified, tokens, settings, rules, area: [] })

export const publicAt = (path: string): WorldSetting => ({ path, visibility: 'public' })

export const trigger = (id: string, value = '{"type":"t"}', state: WorldTrigger['state'] = 'valid'): WorldTrigger => ({
  id,
  value,
  state,
})

const edges = [9n, 10n, 100n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 63n]

/** Ids that break in 32, 53 or 63 bits, or as text without padding. */
export const edgeIds: ReadonlyArray<string> = [0n, 1n, ...edges, 2n ** 64n - 2n, 2n ** 64n - 1n].map(String)

/** `id` is canonical decimal. */
export const userOf = (id: string): UserId.UserId => BigInt(id) as UserId.UserId

const describeRule = ({ pattern, visibility }: WorldRule): string => `the rule ${quoteName(pattern)} ${visibility}`

const describeSettings = (settings: Settings.Settings): ReadonlyArray<string> => [
  ...Array.from(Settings.entries(settings), ([path, visibility]) => `${quoteName(path)} ${visibility}`),
  ...Settings.rules(settings).map(describeRule),
]

/** Claims that a read of another account does not change the settings that were returned before. */
const settingsStay =
  (id: string, otherId: string): RegistryClaim =>
  async ({ settingsOf }) => {
    const answer = await settingsOf(userOf(id))()
    const describeNow = () =>
      describeResult((settings: Settings.Settings) => describeSettings(settings).join(', '))(answer)
    const before = describeNow()
    await settingsOf(userOf(otherId))()
    return describeNow() === before
      ? []
      : [`the settings of ${id} must not change when those of ${otherId} are asked for`]
  }

/** Claims that the account has exactly these settings and rules. */
const settingsAre =
  (id: string, settings: ReadonlyArray<WorldSetting>, rules: ReadonlyArray<WorldRule> = []): RegistryClaim =>
  async ({ settingsOf }) => {
    const answer = await settingsOf(userOf(id))()
    if (answer._tag === 'Left') return [`the settings of ${id} are ${answer.left.error}`]
    const found = new Set(describeSettings(answer.right))
    const expected = new Set([
      ...settings.map(({ path, visibility }) => `${quoteName(path)} ${visibility}`),
      ...rules.map(describeRule),
    ])
    return [
      ...[...expected].filter((one) => !found.has(one)).map((one) => `the settings of ${id} lack ${one}`),
      ...[...found].filter((one) => !expected.has(one)).map((one) => `the settings of ${id} must not contain ${one}`),
    ]
  }

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

/** Digits that no compression shortens, because an index may not accept a long path as a whole. */
const noise = (length: number): string =>
  Array.from({ length }, (_, i) => Math.abs(Math.trunc(Math.sin(i + 1) * 1e9) % 36).toString(36)).join('')

const longest = `/${Array.from({ length: 16 }, (_, i) => noise(4096).slice(i * 256, i * 256 + 255)).join('/')}`
const deepest = `/${Array.from({ length: 255 }, (_, i) => `${i % 10}`).join('/')}`
const longs = [longest, longest.slice(0, -1), deepest].map(inTurn)

const oddRules: ReadonlyArray<WorldRule> = [
  { pattern: '.*', visibility: 'hidden' },
  { pattern: '*.KEY', visibility: 'private' },
  { pattern: '*.key', visibility: 'hidden' },
  { pattern: '\\*\\?\\\\', visibility: 'private' },
  { pattern: ' \u00e9 ', visibility: 'private' },
  { pattern: '\u{1f600}?', visibility: 'hidden' },
]

const maxRules = Array.from(
  { length: Rules.maxCount },
  (_, i): WorldRule => ({
    pattern: `${i}`.padStart(i < 48 ? 21 : 20, '*'),
    visibility: i % 2 === 0 ? 'hidden' : 'private',
  }),
)

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
    'the rules of an area are exactly those that were made, also without a setting',
    [account('7', { settings: several, rules: oddRules }), account('8', { rules: oddRules.slice(1) }), account('9')],
    [settingsAre('7', several, oddRules), settingsAre('8', [], oddRules.slice(1)), settingsAre('9', [])],
  ),
  registryLaw(
    'an area may have as many rules, and as long patterns, as the bounds allow',
    [account('7', { settings: many, rules: maxRules })],
    [settingsAre('7', many, maxRules)],
  ),
]

const triggerSays =
  (id: string, expected: string): RegistryClaim =>
  async ({ triggerOf }) => {
    const answer = await triggerOf(id as TriggerId.TriggerId)()
    const found = describeResult(({ type, json }: TriggerValue.TriggerValue) => `${quoteName(type)} ${json}`)(answer)
    return mustBe(`the trigger ${quoteName(id)}`, expected, found)
  }

const triggerHolds = (id: string, type: string, json: string): RegistryClaim =>
  triggerSays(id, `${quoteName(type)} ${json}`)

const triggerIsNotFound = (id: string): RegistryClaim => triggerSays(id, 'trigger not found')

/** A parser with a serializer would change each of these. */
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
]
