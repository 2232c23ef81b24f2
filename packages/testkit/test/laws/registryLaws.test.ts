import { Area, Failure, type StoragePath, type TriggerId, type TriggerValue, U64, type UserId } from '@canopy/domain'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import { accessLaws } from '../../src/laws/accessLaws.js'
import { settingsLaws, triggersLaws } from '../../src/laws/registryLaws.js'
import { memoryRegistry } from '../../src/memoryPorts.js'
import type { RegistryPorts, SeedRegistry, World, WorldAccount, WorldRule, WorldSetting } from '../../src/World.js'
import { type BrokenBy, misjudged } from './misjudged.js'

/** Spoils a right registry; or spoils the world before a right registry is made of it. */
interface Break {
  readonly world?: (world: World) => World
  readonly ports?: (ports: RegistryPorts, world: World) => RegistryPorts
}

const seedBroken =
  ({ world: spoil = (world) => world, ports = (right) => right }: Break = {}): SeedRegistry =>
  async (world) => ({ ports: ports(memoryRegistry(spoil(world)), world), close: async () => {} })

const accounts = (change: (account: WorldAccount) => WorldAccount): Break => ({
  world: (world) => ({ ...world, accounts: world.accounts.map(change) }),
})

const validInPlaceOf = (...states: ReadonlyArray<string>): Break => {
  const changed = <A extends { readonly state: string }>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
    all.map((each) => (states.includes(each.state) ? { ...each, state: 'valid' } : each))
  return {
    world: (world) => ({
      accounts: world.accounts.map((account) => ({ ...account, tokens: changed(account.tokens) })),
      triggers: changed(world.triggers),
    }),
  }
}

const verifiesAll = accounts((account) => ({ ...account, verified: true }))

const settings = (change: (settings: ReadonlyArray<WorldSetting>) => ReadonlyArray<WorldSetting>): Break =>
  accounts((account) => ({ ...account, settings: change(account.settings) }))

const rules = (change: (rules: ReadonlyArray<WorldRule>) => ReadonlyArray<WorldRule>): Break =>
  accounts((account) => ({ ...account, rules: change(account.rules ?? []) }))

const paths = (change: (path: string) => string): Break =>
  settings((all) => all.map((setting) => ({ ...setting, path: change(setting.path) })))

const port = <Name extends keyof RegistryPorts>(
  name: Name,
  instead: (right: RegistryPorts[Name], world: World) => RegistryPorts[Name],
): Break => ({ ports: (ports, world) => ({ ...ports, [name]: instead(ports[name], world) }) })

/** Fires a trigger by peeking. */
const peekedOnce = port('triggerOf', (right) => {
  const known = new Set<TriggerId.TriggerId>()
  return (asked) => {
    const isKnown = known.has(asked)
    known.add(asked)
    return isKnown ? TE.left(Failure.triggerNotFound) : right(asked)
  }
})

const grants = (change: (grant: Area.Grant) => Area.Grant): Break =>
  port('areaOfToken', (right) => (token) => TE.map(change)(right(token)))

const areas = (change: (area: Area.Area) => Area.Area): Break =>
  port('areaOfUser', (right) => (user) => TE.map(change)(right(user)))

const values = (change: (value: TriggerValue.TriggerValue) => TriggerValue.TriggerValue): Break =>
  port('triggerOf', (right) => (id) => TE.map(change)(right(id)))

const in53Bits = (user: UserId.UserId) => U64.clamp(BigInt(Number(user))) as UserId.UserId

const rounded = (area: Area.Area): Area.Area => ({ ...area, owner: in53Bits(area.owner) })

const elsewhere = (area: Area.Area): Area.Area => ({ ...area, location: Area.location('elsewhere') })

const caseBlind = port('areaOfToken', (right, { accounts: all }) => (asked) => {
  const found = all.flatMap(({ tokens }) => tokens).find(({ token }) => token.toLowerCase() === asked.toLowerCase())
  return right((found?.token ?? asked) as typeof asked)
})

const alike = (equal: (asked: string, known: string) => boolean): Break =>
  port('triggerOf', (right, { triggers }) => (asked) => {
    const found = triggers.find(({ id }) => equal(asked, id))?.id ?? asked
    return right(found as TriggerId.TriggerId)
  })

const broken: BrokenBy<Break> = {
  'a valid token opens the area of its account': grants((grant) => ({ ...grant, area: rounded(grant.area) })),
  'a token opens its area from its scope downwards': grants((grant) => ({
    ...grant,
    scope: grant.scope.normalize() as StoragePath.StoragePath,
  })),
  'an account has as many tokens as were issued': accounts((account) => ({
    ...account,
    tokens: account.tokens.slice(-1),
  })),
  'unknown, expired and revoked tokens are `invalid token`': [validInPlaceOf('expired'), validInPlaceOf('revoked')],
  'tokens compare to the letter': caseBlind,
  'a valid token of an account that is not verified is `not verified`': verifiesAll,
  'an expired or revoked token is `invalid token`, also of an account that is not verified': validInPlaceOf(
    'expired',
    'revoked',
  ),
  'the id of a verified account leads to its area, whichever u64 it is': areas(rounded),
  'an unknown and an unverified account are `permission denied`': [
    verifiesAll,
    port('areaOfUser', (right) => (user) => TE.mapLeft(() => Failure.external('no such account'))(right(user))),
  ],
  'ids compare as numbers, over the whole of u64': port('areaOfUser', (right) => (user) => right(in53Bits(user))),
  'a token opens the same area that its user has': grants((grant) => ({ ...grant, area: elsewhere(grant.area) })),
  'no two accounts share an area': areas(elsewhere),
  'the settings of an area are exactly those that were made': [
    settings((all) => all.filter(({ path }) => path !== '/')),
    settings((all) => [...all, { path: '/default', visibility: 'private' }]),
  ],
  'there may be many of them': settings((all) => all.slice(0, 1_000)),
  'an area where nothing is set, and an unknown account, have none': port(
    'settingsOf',
    (right) => (user) => right(user === 7n ? user : (8n as UserId.UserId)),
  ),
  'each account has its own, whichever u64 its id is': port('settingsOf', (right) => (user) => right(in53Bits(user))),
  'also of an account that is not verified': accounts((account) => ({
    ...account,
    settings: account.verified ? account.settings : [],
  })),
  'paths are stored to the byte': [
    paths((path) => path.toLowerCase()),
    paths((path) => path.trim()),
    paths((path) => path.replace('%2F', '/')),
  ],
  'the rules of an area are exactly those that were made, also without a setting': [
    rules((all) => all.map((rule) => ({ ...rule, visibility: 'hidden' }))),
    rules((all) => all.map((rule) => ({ ...rule, pattern: rule.pattern.toLowerCase() }))),
    rules((all) => all.map((rule) => ({ ...rule, pattern: rule.pattern.replace(/\\/g, '') }))),
    accounts(({ rules: all = [], ...account }) => ({ ...account, rules: account.settings.length === 0 ? [] : all })),
  ],
  'an area may have as many rules, and as long patterns, as the bounds allow': rules((all) => all.slice(0, 99)),
  'a path may be as long and as deep as paths can be': paths((path) => path.slice(0, 2000)),
  'what a trigger holds is passed on as it is, to the byte': [
    peekedOnce,
    values((value) => ({ ...value, json: JSON.stringify(JSON.parse(value.json)) })),
  ],
  'a trigger has its type': values((value) => ({ ...value, type: value.type || 'unknown' })),
  'unknown, expired and deleted triggers are `trigger not found`': [
    validInPlaceOf('expired'),
    validInPlaceOf('deleted'),
  ],
  'ids compare to the byte': [
    alike((asked, known) => asked.toLowerCase() === known.toLowerCase()),
    // `_` as in `like`.
    alike((asked, known) => asked === known || (/^_+$/.test(asked) && asked.length === known.length)),
  ],
}

it.each([...accessLaws, ...settingsLaws, ...triggersLaws])('fails each broken registry: $name', async (law) => {
  expect(await misjudged(law, seedBroken, broken)).toEqual([])
})
