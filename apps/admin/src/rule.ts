import {
  explainVisibility,
  Name,
  type NamePattern,
  type Rule,
  Rules,
  Settings,
  StoragePath,
  type UserId,
} from '@canopy/domain'
import { shellWord } from '@canopy/installation'
import { rulesWithinBounds } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as Ord from 'fp-ts/lib/Ord.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { areaOf } from './AreaStore.js'
import * as Argument from './Argument.js'
import type { Args, Outcome, ReadEnv, WriteEnv } from './Command.js'
import { type AccountSettings, accountSettings } from './nodeLookup.js'
import type { RegistryFailure } from './Problem.js'
import { report, table, withCount } from './Report.js'
import { exposedSecrets, secretWarnings } from './secretNames.js'
import { walkNearest } from './walkNearest.js'

export const ruleText = ({ pattern, visibility }: Rule): string => `${shellWord(pattern)} ${visibility}`

/** Absent for a dry run. */
type Writer = WriteEnv['registry']['rules'] | undefined

const addRule = (env: ReadEnv, [id, patternText, visibilityText]: Args, writer?: Writer): Outcome =>
  pipe(
    Argument.all({
      user: Argument.userId(id),
      pattern: Argument.pattern(patternText),
      visibility: Argument.ruleVisibility(visibilityText),
    }),
    TE.bindW('effect', ({ user, pattern, visibility }) => {
      const added = [{ pattern, visibility }]
      return changeRules(env, user, {
        edit: (rules) => E.right(mergeRules(rules, added)),
        write: writer?.add(user, added),
      })
    }),
    TE.map(({ user, effect, pattern, visibility }) =>
      report({ pattern, visibility, added: writer !== undefined, ...effectJson(effect) }, [
        `${writer === undefined ? 'Would add' : 'Added'} the rule ${ruleText({ pattern, visibility })}.`,
        ...describeEffect(user, effect),
      ]),
    ),
  )

export const dryAdd = (env: ReadEnv, args: Args): Outcome => addRule(env, args)
export const add = (env: WriteEnv, args: Args): Outcome => addRule(env, args, env.registry.rules)

const removeRule = (env: ReadEnv, [id, patternText]: Args, writer?: Writer): Outcome =>
  pipe(
    Argument.all({ user: Argument.userId(id), pattern: Argument.pattern(patternText) }),
    TE.bindW('effect', ({ user, pattern }) =>
      changeRules(env, user, { edit: withoutRule(user, pattern), write: writer?.remove(user, pattern) }),
    ),
    TE.map(({ user, effect, pattern }) =>
      report({ pattern, removed: writer !== undefined, ...effectJson(effect) }, [
        `${writer === undefined ? 'Would remove' : 'Removed'} the rule ${shellWord(pattern)}.`,
        ...describeEffect(user, effect),
      ]),
    ),
  )

export const dryRemove = (env: ReadEnv, args: Args): Outcome => removeRule(env, args)
export const remove = (env: WriteEnv, args: Args): Outcome => removeRule(env, args, env.registry.rules)

export const list = ({ registry }: ReadEnv, [id]: Args): Outcome =>
  pipe(
    TE.fromEither(Argument.userId(id)),
    TE.flatMap((user) => accountSettings(registry, user)),
    TE.map(({ settings }) => {
      const rules = pipe(rulesOf(settings), RA.sort(byPattern))
      const rows = rules.map(({ pattern, visibility }) => [visibility, shellWord(pattern)])
      return report(rules, table(['VISIBILITY', 'PATTERN'], rows, `Account ${id} has no rules.`))
    }),
  )

const byPattern = Ord.contramap(({ pattern }: Rule): string => pattern)(Name.byBytes)

const rulesOf = (settings: Settings.Settings): ReadonlyArray<Rule> => Rules.toRules(Settings.rules(settings))

/** Each added rule replaces the rule of its pattern. */
export const mergeRules = (rules: ReadonlyArray<Rule>, added: ReadonlyArray<Rule>): ReadonlyArray<Rule> => [
  ...rules.filter(({ pattern }) => !added.some((rule) => rule.pattern === pattern)),
  ...added,
]

const withoutRule =
  (account: UserId.UserId, pattern: NamePattern.NamePattern): Change['edit'] =>
  (rules) => {
    const others = rules.filter((rule) => rule.pattern !== pattern)
    return others.length < rules.length ? E.right(others) : E.left({ error: 'no such rule', account, pattern })
  }

interface Change {
  readonly edit: (rules: ReadonlyArray<Rule>) => E.Either<RegistryFailure, ReadonlyArray<Rule>>
  readonly write: Outcome<unknown> | undefined
}

/** How a change of rules changes what visitors see. */
interface Effect {
  /** The nodes that visitors no longer find or no longer reach, without those below them. */
  readonly lost: ReadonlyArray<StoragePath.StoragePath>
  readonly gained: ReadonlyArray<StoragePath.StoragePath>
  readonly secrets: ReturnType<typeof exposedSecrets>
  readonly isComplete: boolean
  readonly isDry: boolean
}

const changeRules = (env: ReadEnv, user: UserId.UserId, { edit, write }: Change): Outcome<Effect> =>
  pipe(
    accountSettings(env.registry, user),
    TE.bindW('rules', ({ settings }) =>
      pipe(
        edit(rulesOf(settings)),
        E.flatMap((rules): E.Either<RegistryFailure, Rules.Rules> => rulesWithinBounds(user, rules)),
        TE.fromEither,
      ),
    ),
    TE.tap((): Outcome<unknown> => write ?? TE.right(undefined)),
    TE.flatMapTask(
      ({ rules, ...known }) =>
        () =>
          searchEffect(env, known, Settings.withRules(rules)(known.settings)),
    ),
    TE.map((found) => ({ ...found, isDry: write === undefined })),
  )

const searchEffect = async (
  { storage, showProgress }: ReadEnv,
  { account, settings }: AccountSettings,
  changed: Settings.Settings,
): Promise<Omit<Effect, 'isDry'>> => {
  const lost: Array<StoragePath.StoragePath> = []
  const gained = new Set<StoragePath.StoragePath>()
  const env = { storage, area: areaOf(account), showProgress }
  const isComplete = await walkNearest(env, StoragePath.root, (path) => {
    const [before, after] = [explainVisibility(settings, path), explainVisibility(changed, path)]
    const isLost = (before.listed && !after.listed) || (before.reachable && !after.reachable)
    if (isLost) lost.push(path)
    else if ((after.listed && !before.listed) || (after.reachable && !before.reachable)) gained.add(path)
    return !isLost
  })
  const isBelowGained = (path: StoragePath.StoragePath): boolean =>
    pipe(
      StoragePath.parent(path),
      O.exists((parent) => gained.has(parent)),
    )
  return {
    lost,
    gained: [...gained].filter((path) => !isBelowGained(path)),
    secrets: exposedSecrets(changed, [...gained]),
    isComplete,
  }
}

const maxShown = 10

const describePaths = (effect: string, paths: ReadonlyArray<string>, audience: string): ReadonlyArray<string> =>
  paths.length === 0
    ? []
    : [
        `It ${effect} ${withCount(paths.length, 'node')} ${audience}, with everything below that inherits:`,
        ...paths.slice(0, maxShown).map((path) => `  ${path}`),
        ...(paths.length > maxShown ? [`  and ${paths.length - maxShown} more`] : []),
      ]

const describeEffect = (
  user: UserId.UserId,
  { lost, gained, secrets, isComplete, isDry }: Effect,
): ReadonlyArray<string> => [
  ...describePaths(isDry ? 'would take' : 'takes', lost, "from visitors' view"),
  ...describePaths(isDry ? 'would open' : 'opens', gained, 'to visitors'),
  ...(lost.length + gained.length === 0 ? ['No node changes for visitors now.'] : []),
  ...(isComplete ? [] : ['The search of the area was not complete. Rules apply to every node all the same.']),
  ...secretWarnings(user, { secrets, isComplete: true }),
]

const effectJson = ({ lost, gained, secrets, isComplete }: Effect) => ({
  lost,
  gained,
  secrets,
  searchedAll: isComplete,
})
