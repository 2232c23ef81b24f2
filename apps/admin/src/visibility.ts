import { type Explanation, explainVisibility, Settings, StoragePath, type UserId, Visibility } from '@canopy/domain'
import { shellWord } from '@canopy/installation'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from './Argument.js'
import { verifyHint } from './account.js'
import { areaOf } from './areas.js'
import type { Outcome, ReadEnv, Words, WriteEnv } from './Command.js'
import { type AccountSettings, didYouMean, type Exists, exists, find, listed, settingsOf, waiting } from './exists.js'
import { columns, report, table } from './Report.js'
import { type Opened, openedJson, openedLines, secretsOpened } from './secretNames.js'

/** The account of a path whose setting was changed, and what that opens. */
const opening = (
  { registry, storage, progress }: WriteEnv,
  user: UserId.UserId,
  path: StoragePath.StoragePath,
): Outcome<AccountSettings & { readonly opened: Opened }> =>
  pipe(
    settingsOf(registry, user),
    TE.bindW('opened', ({ account, settings }) =>
      TE.fromTask(secretsOpened(storage, areaOf(account), settings, path, progress)),
    ),
  )

export const set = (env: WriteEnv, [id, pathText, visibilityText]: Words): Outcome =>
  pipe(
    Argument.all({
      user: Argument.userId(id),
      path: Argument.path(pathText),
      visibility: Argument.visibility(visibilityText),
    }),
    TE.tap(({ user, path, visibility }) => env.registry.settings.set(user, path, visibility)),
    TE.bindW('known', ({ user, path }) => opening(env, user, path)),
    TE.bindW('found', ({ known, path }) => TE.fromTask(find(env.storage, known.account, path))),
    TE.map(({ user, path, visibility, found, known: { opened } }) =>
      report(
        {
          path,
          ...Visibility.own(visibility),
          ...found,
          ...openedJson(opened),
          warning: Argument.lostName(path)[0],
        },
        [
          `Set ${path} to ${visibility}.`,
          ...Argument.lostName(path),
          ...waiting('the setting', found.exists),
          ...didYouMean(path, found),
          ...openedLines(user, opened),
        ],
      ),
    ),
  )

export const remove = (env: WriteEnv, [id, pathText]: Words): Outcome =>
  pipe(
    Argument.all({ user: Argument.userId(id), path: Argument.path(pathText) }),
    TE.tap(({ user, path }) => env.registry.settings.remove(user, path)),
    TE.bindW('known', ({ user, path }) => opening(env, user, path)),
    TE.map(({ user, path, known: { settings, opened } }) => {
      const { visibility, inherited } = Settings.visibilityAt(settings, path)
      return report({ path, visibility, inherited, ...openedJson(opened), warning: Argument.lostName(path)[0] }, [
        `Nothing is set on ${path} any more: it is ${visibility} now${inherited ? ', inherited' : ''}.`,
        ...Argument.lostName(path),
        ...openedLines(user, opened),
      ])
    }),
  )

const remark = (exists: Exists): string =>
  exists === null ? 'storage did not answer' : exists ? '' : 'orphan: no node there'

export const list = ({ registry, storage }: ReadEnv, [id]: Words): Outcome =>
  pipe(
    TE.fromEither(Argument.userId(id)),
    TE.flatMap((user) => settingsOf(registry, user)),
    TE.flatMapTask((known) => listed(storage, known)),
    TE.map((settings) => {
      // A path as a shell reads it: a name may end in a space.
      const rows = settings.map(({ path, visibility, ...found }) => [
        visibility,
        shellWord(path),
        [remark(found.exists), ...didYouMean(path, found)].join('; '),
      ])
      return report(
        settings.map(({ path, visibility, ...found }) => ({ path, visibility, inherited: false, ...found })),
        table(['VISIBILITY', 'PATH', ''], rows, `Nothing is set in account ${id}: all of it is private.`),
      )
    }),
  )

const sentence = (path: StoragePath.StoragePath, { visibility, decidedBy }: Explanation): string => {
  const because = O.isNone(decidedBy)
    ? 'nothing is set on it or above it, and an area is private by default.'
    : decidedBy.value === path
      ? 'that is set on it.'
      : `it inherits that from ${decidedBy.value}, the nearest that has a setting.`
  return `${path} is ${visibility.visibility}: ${because}`
}

const refusedVisitor = 'A visitor who asks for it gets `permission denied`.'

/** Who sees the node, or would see one if there were one. */
const audience = (
  path: StoragePath.StoragePath,
  { reachable, listed }: Explanation,
  isThere: Exists,
): ReadonlyArray<string> => {
  if (!isThere)
    return [
      ...(isThere === null
        ? waiting('the setting', isThere)
        : ['No node exists there now: anyone who may see it gets `file not found`, or `type mismatch` below a file.']),
      'The owner, with a token, would see it.',
      reachable ? 'A visitor who asks for it by name would be answered.' : refusedVisitor,
    ]
  const parent = StoragePath.parent(path)
  return [
    'The owner, with a token, sees it.',
    reachable ? 'A visitor who asks for it by name is answered.' : refusedVisitor,
    ...(O.isNone(parent) ? [] : [`A visitor ${listed ? 'finds' : 'does not find'} it in ${parent.value}.`]),
  ]
}

const chainLines = ({ chain, decidedBy }: Explanation): ReadonlyArray<string> =>
  columns(
    chain.map(({ path, own }) => [
      `  ${path}`,
      O.getOrElse<string>(() => 'no setting')(own),
      O.isSome(decidedBy) && decidedBy.value === path ? '<- decides' : '',
    ]),
  )

/** Why a path has its visibility, and who can see it. */
export const explain = ({ registry, storage }: ReadEnv, [id, pathText]: Words): Outcome =>
  pipe(
    Argument.all({ user: Argument.userId(id), path: Argument.path(pathText) }),
    TE.bindW('known', ({ user }) => settingsOf(registry, user)),
    TE.bindW('isThere', ({ known, path }) => TE.fromTask(exists(storage, known.account, path))),
    TE.map(({ path, known: { account, settings }, isThere }) => {
      const explained = explainVisibility(settings, path)
      const { visibility, chain, decidedBy, reachable, listed } = explained
      const who = audience(path, explained, isThere)
      return report(
        {
          path,
          visibility: visibility.visibility,
          inherited: visibility.inherited,
          chain: chain.map(({ path: at, own }) => ({ path: at, visibility: O.toNullable(own) })),
          decidedBy: O.toNullable(decidedBy),
          reachable,
          listed: listed && isThere !== false,
          exists: isThere,
          verified: account.verified,
          warning: Argument.lostName(path)[0],
        },
        [
          sentence(path, explained),
          ...Argument.lostName(path),
          '',
          ...chainLines(explained),
          '',
          ...(account.verified
            ? who
            : [...verifyHint(account), 'Once it is verified:', ...who.map((line) => `  ${line}`)]),
        ],
      )
    }),
  )
