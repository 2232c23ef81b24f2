import { explainVisibility, Settings, StoragePath, UserId, type Visibility } from '@canopy/domain'
import { shellWord } from '@canopy/installation'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { AccountSettings, Setting } from '../AccountSettings.js'
import * as Existence from '../Existence.js'
import { didYouMean } from '../lookAlike.js'
import { openSecrets, warning } from '../secretNames.js'
import type { Finding } from './Finding.js'

const orphan = (account: UserId.UserId, { path, visibility, existence, lookAlike }: Setting): ReadonlyArray<Finding> =>
  Existence.isMissing(existence)
    ? [
        {
          kind: 'orphan setting',
          account,
          path: O.some(path),
          message: [
            `set ${visibility}, but no node exists there: make the node, or \`canopy visibility remove ${UserId.toDecimal(account)} ${shellWord(path)}\``,
            ...didYouMean(path, lookAlike),
          ].join('; '),
        },
      ]
    : []

/** The parent directory, when no visitor may ask for it. */
const privateParent = (settings: Settings.Settings, path: StoragePath.StoragePath): O.Option<StoragePath.StoragePath> =>
  pipe(
    StoragePath.parent(path),
    O.filter((parent) => Settings.visibilityAt(settings, parent).visibility === 'private'),
  )

/** An area that is closed as a whole and opened in places is the usual one: nothing between was closed on purpose. */
const isClosedAsWhole = (settings: Settings.Settings, parent: StoragePath.StoragePath): boolean =>
  pipe(
    explainVisibility(settings, parent).decidedBy,
    O.match(
      () => true,
      (by) => by === StoragePath.root,
    ),
  )

/** What is hidden is in no listing anyway. */
const wayOut = (visibility: Visibility.Visibility, parent: StoragePath.StoragePath): string =>
  visibility === 'hidden'
    ? `set this public and ${parent} public or hidden, or this private`
    : `set ${parent} public or hidden, or this private`

const unlisted = (
  account: UserId.UserId,
  settings: Settings.Settings,
  { path, visibility }: Setting,
): ReadonlyArray<Finding> =>
  pipe(
    visibility === 'private' ? O.none : privateParent(settings, path),
    O.match(
      () => [],
      (parent) => [
        {
          kind: 'unlisted below private',
          account,
          path: O.some(path),
          message: `set ${visibility} below ${parent}, which is private: visitors who know the name are answered, but no listing leads to it; if that is not meant, ${wayOut(visibility, parent)}`,
          ...(isClosedAsWhole(settings, parent) ? { note: true } : {}),
        },
      ],
    ),
  )

export const settingFindings = (
  { account, settings }: AccountSettings,
  listed: ReadonlyArray<Setting>,
): ReadonlyArray<Finding> =>
  listed.flatMap((setting) => [...orphan(account.id, setting), ...unlisted(account.id, settings, setting)])

/**
 * Nodes with the name of a secret that visitors can see or reach. One on which that is set itself was most likely meant.
 *
 * @param named the nodes of the area with such a name
 */
export const secretFindings = (
  { account, settings }: AccountSettings,
  listed: ReadonlyArray<Setting>,
  named: ReadonlyArray<StoragePath.StoragePath>,
): ReadonlyArray<Finding> => {
  const set = listed.filter(({ existence }) => existence === 'there').map(({ path }) => path)
  return openSecrets(settings, [...named, ...set]).map((secret) => ({
    kind: 'open secret',
    account: account.id,
    path: O.some(secret.path),
    message: warning(account.id, secret),
    ...(settings.has(secret.path) ? { note: true } : {}),
  }))
}
