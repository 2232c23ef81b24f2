import { Name, StoragePath, TriggerValue, U64, UserId, Visibility } from '@canopy/domain'
import { slices } from '../eventLoop.js'
import { memoize } from '../memoize.js'
import { type Ports, portFailures } from './Ports.js'

type Is = (u: unknown) => boolean
/** In slices, where there may be much to look at. */
type IsInTime = (u: unknown) => boolean | Promise<boolean>
/** So many are looked at within a millisecond. */
const partLength = 2048

type Fields = Readonly<Record<string, unknown>>

const hasFields = (u: unknown): u is Fields => typeof u === 'object' && u !== null

/** Looked at once for as long as it lives: what ports give does not change, and is given again and again. */
const once = (is: Is): Is => {
  const known = memoize<object, boolean>(is)
  return (u) => hasFields(u) && known(u)
}

const isArea: Is = (u) => hasFields(u) && UserId.is(u['owner']) && typeof u['location'] === 'string'

const isGrant: Is = once((u) => hasFields(u) && isArea(u['area']) && StoragePath.is(u['scope']))

const visibilities: ReadonlySet<unknown> = new Set(Visibility.all)

const isVisibility = (u: unknown): boolean => visibilities.has(u)

const areVisibilities = memoize((settings: ReadonlyMap<unknown, unknown>): boolean => {
  for (const each of settings.values()) if (!isVisibility(each)) return false
  return true
})

const areVisibilitiesInTime = memoize(async (settings: ReadonlyMap<unknown, unknown>): Promise<boolean> => {
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
 * An unknown visibility is not `private` either: let through, it would open what it stands on. There may be a million; few
 * are looked at without a promise, or an account that has some could be told from none by time.
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

const isKnownListing = memoize(
  async ({ unlistable, unknown, entries }: Fields): Promise<boolean> =>
    typeof unlistable === 'number' && (await areUnknown(unknown)) && areEntries(entries),
)

const isListing: IsInTime = (u) => hasFields(u) && isKnownListing(u)

/** Sent as it is: what is no JSON would make the whole answer none. */
const isTriggerValue: Is = once(TriggerValue.codec.is)

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
