import { type Explanation, explainVisibility, Settings, StoragePath, UserId, Visibility } from '@canopy/domain'
import { shellWord } from '@canopy/installation'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from './Argument.js'
import { verifyHint } from './account.js'
import { areaOf } from './areas.js'
import { columns, failed, type Outcome, type ReadEnv, report, type WriteEnv } from './Command.js'
import * as Existence from './Existence.js'
import { type Opened, openedJson, openedLines, secretsOpened } from './secretNames.js'

/** The account of a path whose setting was changed, and what that opens. */
const opening = (
  { registry, storage, progress }: WriteEnv,
  user: UserId.UserId,
  path: StoragePath.StoragePath,
): Outcome<Existence.AccountSettings & { readonly opened: Opened }> =>
  pipe(
    Existence.settingsOf(registry, user),
    TE.bindW('opened', ({ account, settings }) =>
      TE.fromTask(secretsOpened(storage, areaOf(account), settings, path, progress)),
    ),
  )

export const set = (env: WriteEnv, id: string, pathText: string, visibilityText: string): Outcome =>
  pipe(
    Argument.all({
      user: Argument.userId(id),
      path: Argument.path(pathText),
      visibility: Argument.visibility(visibilityText),
    }),
    TE.fromEither,
    TE.tap(({ user, path, visibility }) => env.registry.settings.set(user, path, visibility)),
    TE.bindW('known', ({ user, path }) => opening(env, user, path)),
    TE.bindW('found', ({ known, path }) => TE.fromTask(Existence.find(env.storage, areaOf(known.account), path))),
    TE.map(({ user, path, visibility, found, known: { opened } }) =>
      report(
        {
          path,
          ...Visibility.own(visibility),
          ...Existence.foundJson(found),
          ...openedJson(opened),
          warning: Argument.lostName(path)[0],
        },
        [
          `Set ${path} to ${visibility}.`,
          ...Argument.lostName(path),
          ...Existence.note('the setting', found.existence),
          ...Existence.didYouMean(path, found),
          ...openedLines(user, opened),
        ],
      ),
    ),
  )

export const remove = (env: WriteEnv, id: string, pathText: string): Outcome =>
  pipe(
    Argument.all({ user: Argument.userId(id), path: Argument.path(pathText) }),
    TE.fromEither,
    TE.tap(({ user, path }) =>
      pipe(
        env.registry.settings.remove(user, path),
        TE.mapLeft((refusal) =>
          refusal.error === 'no such setting'
            ? failed(refusal.error)(
                `nothing is set on ${path}`,
                `\`canopy visibility list ${UserId.toDecimal(user)}\` shows what is set`,
              )
            : refusal,
        ),
      ),
    ),
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

const remarks: Readonly<Record<Existence.Existence, string>> = {
  there: '',
  'file not found': 'orphan: no node there',
  'type mismatch': 'orphan: the path runs through a file',
  external: 'storage did not answer',
}

export const list = ({ registry, storage }: ReadEnv, id: string): Outcome =>
  pipe(
    TE.fromEither(Argument.userId(id)),
    TE.flatMap((user) => Existence.settingsOf(registry, user)),
    TE.flatMapTask((known) => Existence.ofSettings(storage, known)),
    TE.map((settings) => {
      const rows = settings.map(({ path, visibility, ...found }) => [
        visibility,
        // As a shell reads it: a name may end in a space.
        shellWord(path),
        [remarks[found.existence], ...Existence.didYouMean(path, found)].join('; '),
      ])
      return report(
        settings.map(({ path, visibility, ...found }) => ({
          path,
          visibility,
          inherited: false,
          ...Existence.foundJson(found),
        })),
        rows.length === 0
          ? [`Nothing is set in account ${id}: all of it is private.`]
          : columns([['VISIBILITY', 'PATH', ''], ...rows]),
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

const absence: Readonly<Record<Exclude<Existence.Existence, 'there'>, ReadonlyArray<string>>> = {
  'file not found': ['No node exists there now: anyone who may see it gets `file not found`.'],
  'type mismatch': ['The path runs through a file: anyone who may see it gets `type mismatch`.'],
  external: Existence.note('the setting', 'external'),
}

/** Who sees the node, or would see one if there were one. */
const audience = (
  path: StoragePath.StoragePath,
  { reachable, listed }: Explanation,
  existence: Existence.Existence,
): ReadonlyArray<string> => {
  if (existence !== 'there')
    return [
      ...absence[existence],
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
export const explain = ({ registry, storage }: ReadEnv, id: string, pathText: string): Outcome =>
  pipe(
    Argument.all({ user: Argument.userId(id), path: Argument.path(pathText) }),
    TE.fromEither,
    TE.bindW('known', ({ user }) => Existence.settingsOf(registry, user)),
    TE.bindW('existence', ({ known, path }) => TE.fromTask(Existence.of(storage, areaOf(known.account), path))),
    TE.map(({ path, known: { account, settings }, existence }) => {
      const explained = explainVisibility(settings, path)
      const { visibility, chain, decidedBy, reachable, listed } = explained
      const who = audience(path, explained, existence)
      return report(
        {
          path,
          visibility: visibility.visibility,
          inherited: visibility.inherited,
          chain: chain.map(({ path: at, own }) => ({ path: at, visibility: O.toNullable(own) })),
          decidedBy: O.toNullable(decidedBy),
          reachable,
          listed: listed && !Existence.isMissing(existence),
          exists: Existence.toJson(existence),
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
