import { type Explanation, explainVisibility, StoragePath } from '@canopy/domain'
import type { Account } from '@canopy/registry/admin'
import { sequenceS } from 'fp-ts/lib/Apply.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as AccountSettings from './AccountSettings.js'
import * as Argument from './Argument.js'
import type { RegistryLookEnv, StorageEnv } from './CommandEnv.js'
import { columns } from './columns.js'
import { verifyHint } from './describeAccount.js'
import * as Existence from './Existence.js'
import { lostName, lostNameJson } from './lostName.js'
import type { Problem } from './Problem.js'
import { type Report, report } from './Report.js'

const sentence = (path: StoragePath.StoragePath, { visibility, decidedBy }: Explanation): string =>
  `${path} is ${visibility.visibility}: ${pipe(
    decidedBy,
    O.match(
      () => 'nothing is set on it or above it, and an area is private by default.',
      (by) => (by === path ? 'that is set on it.' : `it inherits that from ${by}, the nearest that has a setting.`),
    ),
  )}`

const refusedVisitor = 'A visitor who asks for it gets `permission denied`.'

/** Who sees the node that is there. */
const audience = (path: StoragePath.StoragePath, { reachable, listed }: Explanation): ReadonlyArray<string> => [
  'The owner, with a token, sees it.',
  reachable ? 'A visitor who asks for it by name is answered.' : refusedVisitor,
  ...pipe(
    StoragePath.parent(path),
    O.match(
      () => [],
      (parent) => [`A visitor ${listed ? 'finds' : 'does not find'} it in ${parent}.`],
    ),
  ),
]

/** Who would see a node, if there were one. */
const futureAudience = ({ reachable }: Explanation): ReadonlyArray<string> => [
  'The owner, with a token, would see it.',
  reachable ? 'A visitor who asks for it by name would be answered.' : refusedVisitor,
]

const audienceOf = (
  path: StoragePath.StoragePath,
  explained: Explanation,
  existence: Existence.Existence,
): ReadonlyArray<string> => {
  switch (existence) {
    case 'there':
      return audience(path, explained)
    case 'missing':
      return ['No node exists there now: whoever may see it gets `file not found`.', ...futureAudience(explained)]
    case 'behind a file':
      return ['The path runs through a file: whoever may see it gets `type mismatch`.', ...futureAudience(explained)]
    case 'unknown':
      return [...Existence.note('the setting')(existence), ...futureAudience(explained)]
  }
}

/** Nobody is answered before the account is verified. */
const onceVerified = (account: Account, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  account.verified ? lines : [...verifyHint(account), 'Once it is verified:', ...lines.map((line) => `  ${line}`)]

const chainLines = ({ chain, decidedBy }: Explanation): ReadonlyArray<string> =>
  columns(
    chain.map(({ path, own }) => [
      `  ${path}`,
      O.getOrElse<string>(() => 'no setting')(own),
      O.isSome(decidedBy) && decidedBy.value === path ? '<- decides' : '',
    ]),
  )

const json = (path: StoragePath.StoragePath, explained: Explanation, existence: Existence.Existence) => ({
  path,
  visibility: explained.visibility.visibility,
  inherited: explained.visibility.inherited,
  chain: explained.chain.map(({ path: at, own }) => ({ path: at, visibility: O.toNullable(own) })),
  decidedBy: O.toNullable(explained.decidedBy),
  reachable: explained.reachable,
  listed: explained.listed && !Existence.isMissing(existence),
  exists: Existence.toJson(existence),
})

/** Why a path has its visibility, and who can see it. */
export const explainPath =
  (id: string, pathText: string) =>
  (env: RegistryLookEnv & StorageEnv): TE.TaskEither<Problem, Report> =>
    pipe(
      sequenceS(E.Apply)({ user: Argument.userId(id), path: Argument.path(pathText) }),
      TE.fromEither,
      TE.bind('known', ({ user }) => AccountSettings.of(user)(env)),
      TE.bind('existence', ({ known, path }) =>
        TE.fromTask(Existence.of(env.storage)(AccountSettings.areaOf(known), path)),
      ),
      TE.map(({ path, known: { account, settings }, existence }) => {
        const explained = explainVisibility(settings, path)
        return report({ ...json(path, explained, existence), verified: account.verified, ...lostNameJson(path) }, [
          sentence(path, explained),
          ...lostName(path),
          '',
          ...chainLines(explained),
          '',
          ...onceVerified(account, audienceOf(path, explained, existence)),
        ])
      }),
    )
