import { explainVisibility, Settings, StoragePath, type U64, UserId } from '@canopy/domain'
import { shellWord } from '@canopy/installation'
import type { Account, StoredTrigger, TokenRecord } from '@canopy/registry/admin'
import { adviceOn, type Trouble } from '@canopy/storage-fs/admin'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as Argument from './Argument.js'
import type { AccountSettings, Exists, Setting } from './exists.js'
import { openSecrets, warning } from './secretNames.js'
import { brokenMessage, deletionOf } from './trigger.js'

/** Something that an operator may want to change, and how: of an account, a trigger, or all of Canopy. */
export interface Finding {
  /** One of those that docs/admin.md explains. */
  readonly kind: string
  readonly message: string
  /** Where it is in the area of the account. */
  readonly path?: StoragePath.StoragePath
  /** Good to know, and most likely meant: it needs no attention. */
  readonly note?: boolean
}

type Findings = ReadonlyArray<Finding>

const note = true

const command = (words: string, { id }: Pick<Account, 'id'>, ...more: ReadonlyArray<string>): string =>
  `\`canopy ${[words, UserId.toDecimal(id), ...more].join(' ')}\``

/** What the storage found in an area, in an operator's words. `directory` is the area's, absolute. */
export const ofTrouble = (account: Account, directory: string, found: Trouble): Finding => {
  const path = 'path' in found ? found.path : found.directory
  const advice = ('errno' in found ? adviceOn(found.errno) : undefined) ?? 'look at the log of the kernel (`dmesg`)'
  switch (found.finding) {
    case 'directory not readable':
      return path === StoragePath.root && ['ENOENT', 'ENOTDIR'].includes(found.errno)
        ? {
            kind: 'missing area',
            message: `${directory} is no directory, so every request answers \`external\`: mount or make it, or ${command('account delete', account)}`,
          }
        : {
            kind: 'unreadable directory',
            message: `cannot be read (${found.errno}), and what the server cannot read answers \`external\`: ${advice}`,
            path,
          }
    case 'node not known':
      return {
        kind: 'unknown node',
        message: `cannot be looked at (${found.errno}), so anyone who would be shown it is answered \`external\`: ${advice}`,
        path,
      }
    case 'name not listable':
      return {
        kind: 'unlistable name',
        message: `holds a name that is not UTF-8, ${found.name}, so no one can see it: rename it`,
        path,
      }
    case 'names are folded':
      return {
        kind: 'folded names',
        message:
          'names that differ only in case or form are one file here; Canopy finds a node only by the name that its directory lists',
        path,
        note,
      }
    case 'path too long':
      return {
        kind: 'path too long',
        message: `holds ${found.name}, whose path is longer than ${StoragePath.maxBytes} bytes or ${StoragePath.maxSegments} names, so no one can see it: move it upwards`,
        path,
      }
  }
}

export const notMounted = (account: Account, directory: string): Finding => ({
  kind: 'area not mounted',
  message: `${directory} was a mount point when it was given to the account, and nothing is mounted there now, so every request answers \`external\`: mount its disk, or, to serve it as it is, ${command('account update', account, '--area', shellWord(directory))}`,
})

/** It costs, and is most likely known. */
export const ofForeignMounts = (mounts: ReadonlyArray<string>): Finding => ({
  kind: 'network storage',
  message: `what is on ${mounts.join(', ')} is on a network or FUSE file system, which reports no changes, so it is read for each request: CANOPY_MAX_AGE_MS allows older answers`,
  note,
})

/** Where the storage is an object store, and the area a directory. */
export const ofFileStorage = (account: Account): Finding => ({
  kind: 'missing area',
  message: `${account.location} is a directory of file storage, and the storage is an object store, so every request answers \`external\`: ${command('account update', account, '--area PREFIX')} gives the account a key prefix`,
})

export const noKeys = (account: Account, prefix: string): Finding => ({
  kind: 'missing area',
  message: `no key begins with ${prefix}, so every request answers \`external\`: ${command('account update', account, '--area', shellWord(account.location))} makes the area, empty, or ${command('account delete', account)}`,
})

/** Of keys that have empty, `.` or `..` segments, or names that are too long or not UTF-8. `around` are some directories of them. */
export const nameless = (count: number, around: ReadonlyArray<StoragePath.StoragePath>): Finding => ({
  kind: 'unlistable keys',
  message: `has ${count === 1 ? '1 key that names' : `${count} keys that name`} nothing, so no client can see what they hold, in ${around.join(', ')}: copy what is needed to keys without empty, "." and ".." segments`,
})

/** One directory may be meant to be seen in two ways, so it needs no attention. */
export const ofOverlaps = (overlaps: ReadonlyArray<string> = []): Findings => {
  const message = `${overlaps.join('; ')}: what is in both is served by the settings of each`
  return overlaps.length === 0 ? [] : [{ kind: 'overlapping areas', message, note }]
}

const orphan = (account: Account, { path, visibility, exists }: Setting): Findings => {
  const hint = `make the node, or ${command('visibility remove', account, shellWord(path))}`
  const message = `set ${visibility}, but no node exists there: ${hint}`
  return exists === false ? [{ kind: 'orphan setting', message, path }] : []
}

const unlisted = (settings: Settings.Settings, { path, visibility }: Setting): Findings => {
  const parent = O.toUndefined(StoragePath.parent(path))
  if (visibility === 'private' || parent === undefined) return []
  if (Settings.visibilityAt(settings, parent).visibility !== 'private') return []
  // A hidden node is in no listing anyway.
  const opening = visibility === 'hidden' ? `this public and ${parent}` : parent
  const message = `set ${visibility} below ${parent}, which is private: visitors who know the name are answered, but no listing leads to it; if that is not meant, set ${opening} public or hidden, or this private`
  // An area that is closed as a whole and opened in places is the usual one: nothing between was closed on purpose.
  const { decidedBy } = explainVisibility(settings, parent)
  const isUsual = O.isNone(decidedBy) || decidedBy.value === StoragePath.root
  return [{ kind: 'unlisted below private', message, path, note: isUsual }]
}

/**
 * What the settings of an account bring about. An open secret that has its own setting was most likely meant.
 *
 * @param named the nodes of the area that have the name of a secret
 */
export const ofSettings = (
  { account, settings }: AccountSettings,
  listed: ReadonlyArray<Setting>,
  named: ReadonlyArray<StoragePath.StoragePath>,
): Findings => {
  const set = listed.filter(({ exists }) => exists).map(({ path }) => path)
  return [
    ...listed.flatMap((setting) => [...orphan(account, setting), ...unlisted(settings, setting)]),
    ...openSecrets(settings, [...named, ...set]).map((secret) => {
      const { path } = secret
      return { kind: 'open secret', message: warning(account.id, secret), path, note: settings.has(path) }
    }),
  ]
}

/** The directory of a scope may be made later, so a missing one needs no attention. */
export const ofToken = ({ expires, scope, tokenId }: TokenRecord, exists: Exists, now: U64.U64): Findings => {
  const revocation = `\`canopy token revoke ${tokenId}\``
  const expired = `token ${tokenId} opens nothing any more: ${revocation} forgets it`
  if (Argument.isPast(now, expires)) return [{ kind: 'expired token', message: expired }]
  const message = `the scope of token ${tokenId}, but no node exists there: make the node, or ${revocation}`
  return exists === false ? [{ kind: 'orphan scope', message, path: scope, note }] : []
}

export const ofTrigger = (trigger: StoredTrigger, now: U64.U64): Findings => {
  if (E.isLeft(trigger)) return [{ kind: 'broken trigger', message: brokenMessage(trigger.left) }]
  const message = `it is not found any more: ${deletionOf(trigger.right.id)} forgets it`
  return Argument.isPast(now, trigger.right.expires) ? [{ kind: 'expired trigger', message }] : []
}
