import { type Explanation, explainVisibility, StoragePath, type UserId, Visibility } from '@canopy/domain'
import { shellWord } from '@canopy/installation'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { areaOf } from './AreaStore.js'
import * as Argument from './Argument.js'
import { verifyHint } from './account.js'
import type { Args, Outcome, ReadEnv, WriteEnv } from './Command.js'
import {
  type AccountSettings,
  accountSettings,
  describeLookAlike,
  type Existence,
  lookUpNode,
  lookUpSettings,
  missingNodeNote,
  nodeExists,
  storageSilentNote,
} from './nodeLookup.js'
import { alignColumns, report, table } from './Report.js'
import { ruleText } from './rule.js'
import { type SecretSearch, searchSecrets, secretsJson, secretWarnings } from './secretNames.js'

export const set = (env: WriteEnv, [id, pathText, visibilityText]: Args): Outcome =>
  pipe(
    Argument.all({
      user: Argument.userId(id),
      path: Argument.path(pathText),
      visibility: Argument.visibility(visibilityText),
    }),
    TE.tap(({ user, path, visibility }) => env.registry.settings.set(user, path, visibility)),
    TE.bindW('reloaded', ({ user, path }) => reloadAndSearchSecrets(env, user, path)),
    TE.bindW('lookup', ({ reloaded, path }) => TE.fromTask(lookUpNode(env.storage, reloaded.account, path))),
    TE.map(({ user, path, visibility, lookup, reloaded: { secretSearch } }) => {
      const warnings = Argument.replacementCharacterWarnings(path)
      const json = {
        path,
        ...Visibility.notInherited(visibility),
        ...lookup,
        ...secretsJson(secretSearch),
        warning: warnings[0],
      }
      return report(json, [
        `Set ${path} to ${visibility}.`,
        ...warnings,
        ...missingNodeNote('the setting', lookup.exists),
        ...describeLookAlike(lookup),
        ...secretWarnings(user, secretSearch),
      ])
    }),
  )

export const remove = (env: WriteEnv, [id, pathText]: Args): Outcome =>
  pipe(
    Argument.all({ user: Argument.userId(id), path: Argument.path(pathText) }),
    TE.tap(({ user, path }) => env.registry.settings.remove(user, path)),
    TE.bindW('reloaded', ({ user, path }) => reloadAndSearchSecrets(env, user, path)),
    TE.map(({ user, path, reloaded: { settings, secretSearch } }) => {
      const [{ visibility: node, rule }] = explainVisibility(settings, path).chain
      const { visibility, inherited } = node
      const source = inherited ? ' (inherited)' : O.isSome(rule) ? ' (by a rule)' : ''
      const warnings = Argument.replacementCharacterWarnings(path)
      return report({ path, visibility, inherited, ...secretsJson(secretSearch), warning: warnings[0] }, [
        `Removed the setting for ${path}. The path is now ${visibility}${source}.`,
        ...warnings,
        ...secretWarnings(user, secretSearch),
      ])
    }),
  )

/** Reads the settings after a change, and searches for secrets that it exposes. */
const reloadAndSearchSecrets = (
  env: WriteEnv,
  user: UserId.UserId,
  path: StoragePath.StoragePath,
): Outcome<AccountSettings & { readonly secretSearch: SecretSearch }> =>
  pipe(
    accountSettings(env.registry, user),
    TE.bindW('secretSearch', ({ account, settings }) =>
      TE.fromTask(searchSecrets(env, areaOf(account), settings, path)),
    ),
  )

export const list = ({ registry, storage }: ReadEnv, [id]: Args): Outcome =>
  pipe(
    TE.fromEither(Argument.userId(id)),
    TE.flatMap((user) => accountSettings(registry, user)),
    TE.flatMapTask((current) => lookUpSettings(storage, current)),
    TE.map((settings) => {
      // Quotes paths, because a name may end in a space.
      const rows = settings.map(({ path, visibility, ...lookup }) => [
        visibility,
        shellWord(path),
        [remark(lookup.exists), ...describeLookAlike(lookup)].join('. '),
      ])
      return report(
        settings.map(({ path, visibility, ...lookup }) => ({ path, visibility, inherited: false, ...lookup })),
        table(['VISIBILITY', 'PATH', ''], rows, `Account ${id} has no settings: its whole area is private.`),
      )
    }),
  )

const remark = (exists: Existence): string =>
  exists === null ? 'storage not readable' : exists ? '' : 'orphaned: the path does not exist'

export const explain = ({ registry, storage }: ReadEnv, [id, pathText]: Args): Outcome =>
  pipe(
    Argument.all({ user: Argument.userId(id), path: Argument.path(pathText) }),
    TE.bindW('current', ({ user }) => accountSettings(registry, user)),
    TE.bindW('exists', ({ current, path }) => TE.fromTask(nodeExists(storage, current.account, path))),
    TE.map(({ path, current: { account, settings }, exists }) => {
      const explanation = explainVisibility(settings, path)
      const { visibility, chain, decidedBy, reachable, listed } = explanation
      const warnings = Argument.replacementCharacterWarnings(path)
      const audience = describeAudience(path, explanation, exists)
      const json = {
        path,
        visibility: visibility.visibility,
        inherited: visibility.inherited,
        chain: chain.map(({ path: at, own, rule }) => ({
          path: at,
          visibility: O.toNullable(own),
          rule: O.toNullable(rule),
        })),
        decidedBy: O.isSome(decidedBy) ? decidedBy.value.path : null,
        reachable,
        listed: listed && exists !== false,
        exists,
        verified: account.verified,
        warning: warnings[0],
      }
      return report(json, [
        `${path} is ${visibility.visibility}: ${describeReason(path, explanation)}`,
        ...warnings,
        '',
        ...chainLines(explanation),
        '',
        ...(account.verified
          ? audience
          : [...verifyHint(account), 'Once the account is verified:', ...audience.map((line) => `  ${line}`)]),
      ])
    }),
  )

const describeReason = (path: StoragePath.StoragePath, { decidedBy }: Explanation): string => {
  if (O.isNone(decidedBy)) return 'no setting applies to it, and areas are private by default.'
  const { path: at, rule } = decidedBy.value
  if (O.isSome(rule))
    return `${at === path ? 'its name' : `it inherits from ${at}, whose name`} matches rule ${ruleText(rule.value)}.`
  return at === path ? 'it has its own setting.' : `it inherits from ${at}, the nearest path with a setting.`
}

const chainLines = ({ chain, decidedBy }: Explanation): ReadonlyArray<string> =>
  alignColumns(
    chain.map(({ path, own, rule }) => [
      `  ${path}`,
      O.isSome(rule) ? `rule ${ruleText(rule.value)}` : O.getOrElse<string>(() => 'no setting')(own),
      O.isSome(decidedBy) && decidedBy.value.path === path ? '<- this one applies' : '',
    ]),
  )

const deniedVisitor = 'A visitor who requests it gets `permission denied`.'

/** Describes who can reach a node. If the node is missing, says what would apply once it exists. */
const describeAudience = (
  path: StoragePath.StoragePath,
  { reachable, listed }: Explanation,
  exists: Existence,
): ReadonlyArray<string> => {
  if (!exists)
    return [
      ...(exists === null
        ? [storageSilentNote]
        : [
            'The path does not exist: requests that are allowed fail with `file not found`, or `type mismatch` if part of the path is a file.',
          ]),
      'The owner could see it with a token.',
      reachable ? 'A visitor could request it by its path.' : deniedVisitor,
    ]
  const parent = StoragePath.parent(path)
  return [
    'The owner can see it with a token.',
    reachable ? 'A visitor can request it by its path.' : deniedVisitor,
    ...(O.isNone(parent) ? [] : [`Visitors ${listed ? 'see' : 'do not see'} it listed in ${parent.value}.`]),
  ]
}
