import { type Explanation, explainVisibility, Name, type Rule, Settings, StoragePath } from '@canopy/domain'
import { shellWord } from '@canopy/installation'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { areaOf } from './AreaStore.js'
import * as Argument from './Argument.js'
import type { Args, Outcome, ReadEnv, WriteEnv } from './Command.js'
import { type AccountSettings, accountSettings } from './nodeLookup.js'
import { report, table, withCount } from './Report.js'
import { type ExposedSecret, exposedSecretAt, type SecretSearch, secretsJson, secretWarnings } from './secretNames.js'
import { searchArea } from './walk.js'

export const ruleText = ({ pattern, visibility }: Rule): string => `${shellWord(pattern)} (${visibility})`

/** Without `write`, only reports what would change. */
const addRule = (env: ReadEnv, args: Args, write?: WriteEnv['registry']['rules']['add']): Outcome =>
  pipe(
    Argument.all({
      user: Argument.userId(args[0]),
      pattern: Argument.pattern(args[1]),
      visibility: Argument.ruleVisibility(args[2]),
    }),
    TE.map(({ user, ...rule }) => ({ user, rule })),
    TE.bindW('before', ({ user }) => accountSettings(env.registry, user)),
    TE.bindW('after', ({ user, rule, before: { settings } }) =>
      pipe(
        Settings.addRules(settings, [rule]),
        TE.fromOption(() => ({ error: 'too many rules', account: user }) as const),
      ),
    ),
    TE.tap(({ user, rule }): Outcome<unknown> => write?.(user, [rule]) ?? TE.right(undefined)),
    TE.bindW('change', ({ before, after }) => TE.fromTask(searchChange(env, before, after))),
    TE.map(({ user, rule, change: { lost, ...secretSearch } }) => {
      const added = write !== undefined
      return report({ ...rule, added, lost, ...secretsJson(secretSearch) }, [
        `${added ? 'Added' : 'Would add'} rule ${ruleText(rule)}.`,
        ...describeLost(added ? 'no longer see' : 'would no longer see', lost, secretSearch.isComplete),
        ...secretWarnings(user, secretSearch),
      ])
    }),
  )

export const dryAdd = (env: ReadEnv, args: Args): Outcome => addRule(env, args)
export const add = (env: WriteEnv, args: Args): Outcome => addRule(env, args, env.registry.rules.add)

export const remove = (env: WriteEnv, [id, patternText]: Args): Outcome =>
  pipe(
    Argument.all({ user: Argument.userId(id), pattern: Argument.pattern(patternText) }),
    TE.bindW('before', ({ user }) => accountSettings(env.registry, user)),
    TE.tap(({ user, pattern }) => env.registry.rules.remove(user, pattern)),
    TE.bindW('after', ({ user }) => env.registry.settings.of(user)),
    TE.bindW('change', ({ before, after }) => TE.fromTask(searchChange(env, before, after))),
    TE.map(({ user, pattern, change }) =>
      report({ pattern, ...secretsJson(change) }, [
        `Removed rule ${shellWord(pattern)}.`,
        ...secretWarnings(user, change),
      ]),
    ),
  )

export const list = ({ registry }: ReadEnv, [id]: Args): Outcome =>
  pipe(
    TE.fromEither(Argument.userId(id)),
    TE.flatMap(registry.settings.of),
    TE.map((settings) => {
      const rules = [...Settings.rules(settings)].sort((one, other) => Name.byBytes.compare(one.pattern, other.pattern))
      const rows = rules.map(({ pattern, visibility }) => [visibility, shellWord(pattern)])
      return report(rules, table(['VISIBILITY', 'PATTERN'], rows, `Account ${id} has no rules.`))
    }),
  )

/** Searches the area for the nodes that visitors lose, without those below them, and for the secrets that they gain. */
const searchChange =
  (env: ReadEnv, { account, settings: before }: AccountSettings, after: Settings.Settings) =>
  async (): Promise<SecretSearch & { readonly lost: ReadonlyArray<StoragePath.StoragePath> }> => {
    const lost: Array<StoragePath.StoragePath> = []
    const secrets: Array<ExposedSecret> = []
    const isComplete = await searchArea(env, areaOf(account), StoragePath.root, (path) => {
      const [was, is] = [explainVisibility(before, path), explainVisibility(after, path)]
      const isLost = showsMore(was, is)
      const secret = showsMore(is, was) ? exposedSecretAt(after, path) : undefined
      if (isLost) lost.push(path)
      if (secret !== undefined) secrets.push(secret)
      return !isLost && secret === undefined
    })
    return { lost, secrets, isComplete }
  }

const showsMore = (one: Explanation, other: Explanation): boolean =>
  (one.listed && !other.listed) || (one.reachable && !other.reachable)

const maxShown = 10

const describeLost = (change: string, lost: ReadonlyArray<string>, isComplete: boolean): ReadonlyArray<string> =>
  lost.length === 0
    ? [`Nothing changes for visitors right now${isComplete ? '' : ' in the part of the area that was searched'}.`]
    : [
        `Visitors ${change} ${withCount(lost.length, 'item')}, or anything below that inherits its visibility:`,
        ...lost.slice(0, maxShown).map((path) => `  ${path}`),
        ...(lost.length > maxShown ? [`  and ${lost.length - maxShown} more`] : []),
      ]
