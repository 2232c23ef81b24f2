import { explainVisibility, Settings, StoragePath, type U64, UserId } from '@canopy/domain'
import { shellWord } from '@canopy/installation'
import type { Account, StoredTrigger, TokenRecord } from '@canopy/registry/admin'
import { adviceOn, type Trouble } from '@canopy/storage-fs/admin'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as Argument from './Argument.js'
import { type AreaMap, overlapsOn } from './areas.js'
import * as Existence from './Existence.js'
import { openSecrets, warning } from './secretNames.js'
import { brokenMessage, deletionOf } from './trigger.js'

/** Something an operator may want to change, and how. */
export interface Finding {
  /** One of those that docs/admin.md explains. */
  readonly kind: string
  /** For people: `account 7 /photos`, `trigger bell`. */
  readonly subject: string
  readonly account: string | null
  readonly path: string | null
  readonly trigger: string | null
  readonly message: string
  /** Good to know, and most likely meant: it needs no attention. */
  readonly note: boolean
}

/** Its JSON has the fields in this order. */
export const finding = (subject: string, kind: string, message: string, about: Partial<Finding> = {}): Finding => ({
  subject,
  kind,
  account: null,
  path: null,
  trigger: null,
  message,
  note: false,
  ...about,
})

const ofAccount = (user: UserId.UserId, kind: string, message: string, about: Partial<Finding> = {}): Finding => {
  const account = UserId.toDecimal(user)
  const subject = ['account', account, ...(typeof about.path === 'string' ? [about.path] : [])].join(' ')
  return finding(subject, kind, message, { account, ...about })
}

/** Good to know, and most likely meant. */
const note = true

export const toLine = ({ kind, subject, message, note: isNote }: Finding): string =>
  `${isNote ? 'note: ' : ''}${subject}: ${kind}: ${message}`

export const toJson = ({ subject: _subject, ...json }: Finding) => json

/** What the storage found in an area, in an operator's words. `directory` is the area's, absolute. */
export const ofTrouble = ({ id }: Account, directory: string, found: Trouble): Finding => {
  const path = 'path' in found ? found.path : found.directory
  const advice = ('errno' in found ? adviceOn(found.errno) : undefined) ?? 'look at the log of the kernel (`dmesg`)'
  switch (found.finding) {
    case 'directory not readable': {
      const missing = `${directory} is no directory, so every request answers \`external\`: mount or make it, or \`canopy account delete ${UserId.toDecimal(id)}\``
      const unreadable = `cannot be read (${found.errno}), and what the server cannot read answers \`external\`: ${advice}`
      return path === StoragePath.root && ['ENOENT', 'ENOTDIR'].includes(found.errno)
        ? ofAccount(id, 'missing area', missing)
        : ofAccount(id, 'unreadable directory', unreadable, { path })
    }
    case 'node not known': {
      const message = `cannot be looked at (${found.errno}), so anyone who would be shown it is answered \`external\`: ${advice}`
      return ofAccount(id, 'unknown node', message, { path })
    }
    case 'name not listable': {
      const message = `holds a name that is not UTF-8, ${found.name}, so no one can see it: rename it`
      return ofAccount(id, 'unlistable name', message, { path })
    }
    case 'names are folded': {
      const message =
        'names that differ only in case or form are one file here; Canopy finds a node only by the name that its directory lists'
      return ofAccount(id, 'folded names', message, { path, note })
    }
    case 'path too long': {
      const limit = `${StoragePath.maxBytes} bytes or ${StoragePath.maxSegments} names`
      const message = `holds ${found.name}, whose path is longer than ${limit}, so no one can see it: move it upwards`
      return ofAccount(id, 'path too long', message, { path })
    }
  }
}

export const notMounted = ({ id }: Account, directory: string): Finding => {
  const update = `\`canopy account update ${UserId.toDecimal(id)} --area ${shellWord(directory)}\``
  const message = `${directory} was a mount point when it was given to the account, and nothing is mounted there now, so every request answers \`external\`: mount its disk, or, to serve it as it is, ${update}`
  return ofAccount(id, 'area not mounted', message)
}

/** It costs, and is most likely known. */
export const ofForeignMounts = ({ id }: Account, mounts: ReadonlyArray<string>): Finding => {
  const message = `what is on ${mounts.join(', ')} is on a network or FUSE file system, which reports no changes, so it is read for each request: CANOPY_MAX_AGE_MS allows older answers`
  return ofAccount(id, 'network storage', message, { note })
}

/** Where the storage is an object store, and the area a directory. */
export const ofFileStorage = ({ id, location }: Account): Finding => {
  const update = `\`canopy account update ${UserId.toDecimal(id)} --area PREFIX\``
  const message = `${location} is a directory of file storage, and the storage is an object store, so every request answers \`external\`: ${update} gives the account a key prefix`
  return ofAccount(id, 'missing area', message)
}

export const noKeys = ({ id, location }: Account, prefix: string): Finding => {
  const account = UserId.toDecimal(id)
  const make = `\`canopy account update ${account} --area ${shellWord(location)}\``
  const message = `no key begins with ${prefix}, so every request answers \`external\`: ${make} makes the area, empty, or \`canopy account delete ${account}\``
  return ofAccount(id, 'missing area', message)
}

/** Of keys that have empty, `.` or `..` segments, or names that are too long or not UTF-8. `around` are some directories of them. */
export const nameless = ({ id }: Account, count: number, around: ReadonlyArray<StoragePath.StoragePath>): Finding => {
  const keys = count === 1 ? 'has 1 key that names' : `has ${count} keys that name`
  const message = `${keys} nothing, so no client can see what they hold, in ${around.join(', ')}: copy what is needed to keys without empty, "." and ".." segments`
  return ofAccount(id, 'unlistable keys', message)
}

/** One directory may be meant to be seen in two ways, so it needs no attention. */
export const ofOverlaps = (map: AreaMap, { id }: Account): ReadonlyArray<Finding> => {
  const words = overlapsOn(map, id, true)
  const message = `${words.join('; ')}: what is in both is served by the settings of each`
  return words.length === 0 ? [] : [ofAccount(id, 'overlapping areas', message, { note })]
}

const orphan = (user: UserId.UserId, setting: Existence.Setting): ReadonlyArray<Finding> => {
  const { path, visibility, existence } = setting
  if (!Existence.isMissing(existence)) return []
  const hint = `make the node, or \`canopy visibility remove ${UserId.toDecimal(user)} ${shellWord(path)}\``
  const message = [`set ${visibility}, but no node exists there: ${hint}`, ...Existence.didYouMean(path, setting)]
  return [ofAccount(user, 'orphan setting', message.join('; '), { path })]
}

const unlisted = (
  user: UserId.UserId,
  settings: Settings.Settings,
  { path, visibility }: Existence.Setting,
): ReadonlyArray<Finding> => {
  const parent = O.toUndefined(StoragePath.parent(path))
  if (visibility === 'private' || parent === undefined) return []
  if (Settings.visibilityAt(settings, parent).visibility !== 'private') return []
  // A hidden node is in no listing anyway.
  const opening = visibility === 'hidden' ? `this public and ${parent}` : parent
  const message = `set ${visibility} below ${parent}, which is private: visitors who know the name are answered, but no listing leads to it; if that is not meant, set ${opening} public or hidden, or this private`
  // An area that is closed as a whole and opened in places is the usual one: nothing between was closed on purpose.
  const { decidedBy } = explainVisibility(settings, parent)
  const isUsual = O.isNone(decidedBy) || decidedBy.value === StoragePath.root
  return [ofAccount(user, 'unlisted below private', message, { path, note: isUsual })]
}

/**
 * What the settings of an account bring about. An open secret that has its own setting was most likely meant.
 *
 * @param named the nodes of the area that have the name of a secret
 */
export const ofSettings = (
  { account: { id }, settings }: Existence.AccountSettings,
  listed: ReadonlyArray<Existence.Setting>,
  named: ReadonlyArray<StoragePath.StoragePath>,
): ReadonlyArray<Finding> => {
  const set = listed.filter(({ existence }) => existence === 'there').map(({ path }) => path)
  return [
    ...listed.flatMap((setting) => [...orphan(id, setting), ...unlisted(id, settings, setting)]),
    ...openSecrets(settings, [...named, ...set]).map((secret) =>
      ofAccount(id, 'open secret', warning(id, secret), { path: secret.path, note: settings.has(secret.path) }),
    ),
  ]
}

/** The directory of a scope may be made later, so a missing one needs no attention. */
export const ofToken = (
  { account, expires, scope, tokenId }: TokenRecord,
  existence: Existence.Existence,
  now: U64.U64,
): ReadonlyArray<Finding> => {
  const revocation = `\`canopy token revoke ${tokenId}\``
  const expired = `token ${tokenId} opens nothing any more: ${revocation} forgets it`
  if (Argument.isPast(now, expires)) return [ofAccount(account, 'expired token', expired)]
  const orphaned = `the scope of token ${tokenId}, but no node exists there: make the node, or ${revocation}`
  return Existence.isMissing(existence) ? [ofAccount(account, 'orphan scope', orphaned, { path: scope, note })] : []
}

export const ofTrigger = (trigger: StoredTrigger, now: U64.U64): ReadonlyArray<Finding> => {
  if (E.isRight(trigger) && !Argument.isPast(now, trigger.right.expires)) return []
  const [id, kind, message]: [string, string, string] = E.isLeft(trigger)
    ? [trigger.left.id, 'broken trigger', brokenMessage(trigger.left)]
    : [trigger.right.id, 'expired trigger', `it is not found any more: ${deletionOf(trigger.right.id)} forgets it`]
  return [finding(`trigger ${id}`, kind, message, { trigger: id })]
}
