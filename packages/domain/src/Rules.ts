import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as Ord from 'fp-ts/lib/Ord.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as t from 'io-ts'
import * as Name from './Name.js'
import * as NamePattern from './NamePattern.js'
import * as Visibility from './Visibility.js'

/** Restricts every node whose name matches. A rule never makes a node more visible, so it cannot say `public`. */
export interface Rule {
  readonly pattern: NamePattern.NamePattern
  readonly visibility: Exclude<Visibility.Visibility, 'public'>
}

export const visibilityCodec: t.Type<Rule['visibility'], Rule['visibility'], unknown> = t.keyof(
  { hidden: null, private: null },
  'RuleVisibility',
)

interface CompiledRule {
  readonly rule: Rule
  readonly matches: (name: string) => boolean
  /** The first unit of every matching name; `undefined` if names may begin with any. */
  readonly firstUnit: number | undefined
}

const compiled: unique symbol = Symbol.for('canopy compiled rules')
const byFirstUnit: unique symbol = Symbol.for('canopy rules by first unit')

/** The rules of one area, the least visible first. Opaque and immutable. */
export interface Rules {
  readonly [compiled]: ReadonlyArray<CompiledRule>
  /** The rules that can match a name with this first unit: most names are compared with few rules. */
  readonly [byFirstUnit]: ReadonlyMap<number | undefined, ReadonlyArray<CompiledRule>>
}

export const maxCount = 100

/** Upper bound of the bytes of all patterns together. */
export const maxBytes = 2048

export const none: Rules = { [compiled]: [], [byFirstUnit]: new Map([[undefined, []]]) }

const leastVisibleFirst = pipe(
  Visibility.byRestriction,
  Ord.reverse,
  Ord.contramap(({ visibility }: Rule) => visibility),
)

const bytesOf = (rules: ReadonlyArray<Rule>): number =>
  rules.reduce((bytes, { pattern }) => bytes + Name.utf8Length(pattern), 0)

/** Refuses more rules than {@link maxCount}, or more bytes of patterns than {@link maxBytes}. */
export const fromRules = (rules: ReadonlyArray<Rule>): O.Option<Rules> => {
  if (rules.length > maxCount || bytesOf(rules) > maxBytes) return O.none
  const all = pipe(
    rules,
    RA.sort(leastVisibleFirst),
    RA.map((rule) => ({
      rule,
      matches: NamePattern.matcher(rule.pattern),
      firstUnit: NamePattern.firstUnit(rule.pattern),
    })),
  )
  const canMatch = (unit: number | undefined) =>
    all.filter(({ firstUnit }) => firstUnit === undefined || firstUnit === unit)
  const units = [undefined, ...all.map(({ firstUnit }) => firstUnit)]
  return O.some({ [compiled]: all, [byFirstUnit]: new Map(units.map((unit) => [unit, canMatch(unit)])) })
}

export const toRules = (rules: Rules): ReadonlyArray<Rule> => rules[compiled].map(({ rule }) => rule)

/** Returns the rule that decides about a name without a setting, if any. The root, `''`, matches no rule. */
export const ruleFor = (rules: Rules, name: Name.Name | '', inherited: Visibility.NodeVisibility): Rule | undefined => {
  if (name === '' || rules[compiled].length === 0) return undefined
  const candidates = rules[byFirstUnit].get(NamePattern.firstUnitOf(name)) ?? rules[byFirstUnit].get(undefined)
  const rule = candidates?.find(({ matches }) => matches(name))?.rule
  return rule !== undefined && Visibility.byRestriction.compare(rule.visibility, inherited.visibility) >= 0
    ? rule
    : undefined
}
