import { type Failure, Name, StoragePath, TriggerValue, U64, UserId, Visibility } from '@canopy/domain'
import { slices } from '@canopy/storage-fs'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Ports } from './ports.js'

type FailureOf<Port extends keyof Ports> =
  ReturnType<Ports[Port]> extends TE.TaskEither<infer F extends Failure.Failure, unknown> ? F['error'] : never

/** The failures that each port may answer with. */
export const portFailures: { readonly [Port in keyof Ports]: { readonly [Name in FailureOf<Port>]: null } } = {
  areaOfToken: { 'invalid token': null, 'not verified': null, external: null },
  areaOfUser: { 'permission denied': null, external: null },
  settingsOf: { external: null },
  nodeAt: { 'file not found': null, 'type mismatch': null, external: null },
  list: { 'file not found': null, 'type mismatch': null, external: null },
  triggerOf: { 'trigger not found': null, external: null },
}

type Is = (u: unknown) => boolean
/** In slices, where there may be much to look at. */
type IsInTime = (u: unknown) => boolean | Promise<boolean>
/** So many are looked at within a millisecond. */
const partLength = 2048

type Fields = Readonly<Record<string, unknown>>

const hasFields = (u: unknown): u is Fields => typeof u === 'object' && u !== null

/** What ports give does not change, and is given again and again: each value is looked at once. */
const once = <A extends object, R extends boolean | Promise<boolean>>(is: (a: A) => R): ((a: A) => R) => {
  const known = new WeakMap<A, R>()
  return (a) => {
    const found = known.get(a) ?? is(a)
    known.set(a, found)
    return found
  }
}

const isKnownArea = once((u: Fields): boolean => UserId.is(u['owner']) && typeof u['location'] === 'string')

const isArea: Is = (u) => hasFields(u) && isKnownArea(u)

const isKnownGrant = once((u: Fields): boolean => isArea(u['area']) && StoragePath.is(u['scope']))

const isGrant: Is = (u) => hasFields(u) && isKnownGrant(u)

const visibilities: ReadonlySet<unknown> = new Set(Visibility.all)

const isVisibility = (u: unknown): boolean => visibilities.has(u)

const areVisibilities = once((settings: ReadonlyMap<unknown, unknown>): boolean => {
  for (const each of settings.values()) if (!isVisibility(each)) return false
  return true
})

const areVisibilitiesInTime = once(async (settings: ReadonlyMap<unknown, unknown>): Promise<boolean> => {
  const sliceEnd = slices()
  let looked = 0
  for (const each of settings.values()) {
    if (!isVisibility(each)) return false
    looked += 1
    if (looked % partLength === 0) await sliceEnd()
  }
  return true
})

/**
 * An unknown visibility is not `private` either: let through, it would open its path. There may be a million; few
 * are looked at without a promise, or time would distinguish an account that has some from none.
 */
const isSettings: IsInTime = (u) =>
  u instanceof Map && (u.size <= partLength ? areVisibilities(u) : areVisibilitiesInTime(u))

const isNode: Is = (u) =>
  hasFields(u) && U64.is(u['last_modified']) && (u['type'] === 'dir' || (u['type'] === 'file' && U64.is(u['size'])))

const isEntry: Is = (u) => isNode(u) && hasFields(u) && Name.is(u['name'])

/** An array, or what counts and gives its entries in the same way. */
interface Many extends Iterable<unknown> {
  readonly length: number
}

const hasMany = (u: unknown): u is Many =>
  hasFields(u) && typeof u['length'] === 'number' && typeof Reflect.get(u, Symbol.iterator) === 'function'

const areAll = async (is: Is, all: Many): Promise<boolean> => {
  const sliceEnd = slices()
  let looked = 0
  for (const each of all) {
    if (looked % partLength === 0) await sliceEnd()
    looked += 1
    if (!is(each)) return false
  }
  return looked === all.length
}

const areEntries: IsInTime = (u) => hasMany(u) && 'at' in u && typeof u.at === 'function' && areAll(isEntry, u)

const areUnknown: IsInTime = (u) =>
  u === undefined || (hasFields(u) && Array.isArray(u['names']) && areAll(Name.is, u['names']))

const isKnownListing = once(
  async ({ unlistable, unknown, entries }: Fields): Promise<boolean> =>
    typeof unlistable === 'number' && (await areUnknown(unknown)) && areEntries(entries),
)

const isListing: IsInTime = (u) => hasFields(u) && isKnownListing(u)

/** Sent as it is: what is no JSON would make the whole answer none. */
const isTriggerValue: Is = TriggerValue.codec.is

const isEither =
  (failures: object, isRight: IsInTime): IsInTime =>
  (u) =>
    hasFields(u) &&
    (u['_tag'] === 'Right'
      ? isRight(u['right'])
      : u['_tag'] === 'Left' && hasFields(u['left']) && Object.hasOwn(failures, String(u['left']['error'])))

/** Whether what a port gave is one of its answers, as far as a look at each field can tell: order and wholeness are for laws. */
export const portAnswers: { readonly [Port in keyof Ports]: IsInTime } = {
  areaOfToken: isEither(portFailures.areaOfToken, isGrant),
  areaOfUser: isEither(portFailures.areaOfUser, isArea),
  settingsOf: isEither(portFailures.settingsOf, isSettings),
  nodeAt: isEither(portFailures.nodeAt, isNode),
  list: isEither(portFailures.list, isListing),
  triggerOf: isEither(portFailures.triggerOf, isTriggerValue),
}
