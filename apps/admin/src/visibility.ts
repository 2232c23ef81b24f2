import { type Explanation, explainVisibility, Settings, StoragePath, UserId, Visibility } from '@canopy/domain'
import { shellWord } from '@canopy/installation'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from './Argument.js'
import { verifyHint } from './account.js'
import { areaOf } from './areas.js'
import { failed, type Outcome, type ReadEnv, type WriteEnv } from './Command.js'
import * as Existence from './Existence.js'
import { columns, report } from './Report.js'
import { openedJson, openedLines, secretsOpened } from './secretNames.js'

const searching = 'searching for names of secrets'

export const set = (
  { registry, areas, storage, counting }: WriteEnv,
  id: string,
  pathText: string,
  visibilityText: string,
): Outcome =>
  pipe(
    areas.readable,
    TE.flatMapEither(() =>
      Argument.all({
        user: Argument.userId(id),
        path: Argument.path(pathText),
        visibility: Argument.visibility(visibilityText),
      }),
    ),
    TE.tap(({ user, path, visibility }) => registry.settings.set(user, path, visibility)),
    TE.bindW('known', ({ user }) => Existence.settingsOf(registry, user)),
    TE.bindW('found', ({ known, path }) => TE.fromTask(Existence.find(storage, areaOf(known.account), path))),
    TE.bindW('opened', ({ known, path }) =>
      TE.fromTask(secretsOpened(storage, areaOf(known.account), known.settings, path, counting(searching))),
    ),
    TE.map(({ user, path, visibility, found, opened }) =>
      report(
        {
          path,
          ...Visibility.own(visibility),
          ...Existence.foundJson(found),
          ...openedJson(opened),
          ...Existence.lostNameJson(path),
        },
        [
          `Set ${path} to ${visibility}.`,
          ...Existence.lostName(path),
          ...Existence.note('the setting', found.existence),
          ...Existence.didYouMean(path, found.lookAlike),
          ...openedLines(user, opened),
        ],
      ),
    ),
  )

export const remove = ({ registry, storage, counting }: WriteEnv, id: string, pathText: string): Outcome =>
  pipe(
    Argument.all({ user: Argument.userId(id), path: Argument.path(pathText) }),
    TE.fromEither,
    TE.tap(({ user, path }) =>
      pipe(
        registry.settings.remove(user, path),
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
    TE.bindW('known', ({ user }) => Existence.settingsOf(registry, user)),
    TE.bindW('opened', ({ known, path }) =>
      TE.fromTask(secretsOpened(storage, areaOf(known.account), known.settings, path, counting(searching))),
    ),
    TE.map(({ user, path, known: { settings }, opened }) => {
      const { visibility, inherited } = Settings.visibilityAt(settings, path)
      return report({ path, visibility, inherited, ...openedJson(opened), ...Existence.lostNameJson(path) }, [
        `Nothing is set on ${path} any more: it is ${visibility} now${inherited ? ', inherited' : ''}.`,
        ...Existence.lostName(path),
        ...openedLines(user, opened),
      ])
    }),
  )

const remarks: Readonly<Record<Existence.Existence, string>> = {
  there: '',
  missing: 'orphan: no node there',
  'behind a file': 'orphan: the path runs through a file',
  unknown: 'storage did not answer',
}

export const list = ({ registry, areas, storage }: ReadEnv, id: string): Outcome =>
  pipe(
    areas.readable,
    TE.flatMapEither(() => Argument.userId(id)),
    TE.flatMap((user) => Existence.settingsOf(registry, user)),
    TE.flatMapTask((known) => Existence.ofSettings(storage, known)),
    TE.map((settings) => {
      const rows = settings.map(({ path, visibility, existence, lookAlike }) => [
        visibility,
        // As a shell reads it: a name may end in a space.
        shellWord(path),
        [remarks[existence], ...Existence.didYouMean(path, lookAlike)].join('; '),
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
  missing: ['No node exists there now: anyone who may see it gets `file not found`.'],
  'behind a file': ['The path runs through a file: anyone who may see it gets `type mismatch`.'],
  unknown: Existence.note('the setting', 'unknown'),
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
export const explain = ({ registry, areas, storage }: ReadEnv, id: string, pathText: string): Outcome =>
  pipe(
    areas.readable,
    TE.flatMapEither(() => Argument.all({ user: Argument.userId(id), path: Argument.path(pathText) })),
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
          ...Existence.lostNameJson(path),
        },
        [
          sentence(path, explained),
          ...Existence.lostName(path),
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
