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
}

const compiled: unique symbol = Symbol.for('canopy compiled rules')

/** The rules of one area, the least visible first. Opaque and immutable. */
export interface Rules {
  readonly [compiled]: ReadonlyArray<CompiledRule>
}

export const maxCount = 100

/** Upper bound of the bytes of all patterns together. */
export const maxBytes = 2048

export const none: Rules = { [compiled]: [] }

const leastVisibleFirst = pipe(
  Visibility.byRestriction,
  Ord.reverse,
  Ord.contramap(({ visibility }: Rule) => visibility),
)

/** Refuses more rules than {@link maxCount}, or more bytes of patterns than {@link maxBytes}. */
export const fromRules = (rules: ReadonlyArray<Rule>): O.Option<Rules> => {
  const bytes = rules.reduce((sum, { pattern }) => sum + Name.utf8Length(pattern), 0)
  if (rules.length > maxCount || bytes > maxBytes) return O.none
  const sorted = RA.sort(leastVisibleFirst)(rules)
  return O.some({ [compiled]: sorted.map((rule) => ({ rule, matches: NamePattern.matcher(rule.pattern) })) })
}

export const isEmpty = (rules: Rules): boolean => rules[compiled].length === 0

export const toRules = (rules: Rules): ReadonlyArray<Rule> => rules[compiled].map(({ rule }) => rule)

/** Returns the rule that decides about a name without a setting, if any. A rule as restrictive as the visibility above decides too. */
export const ruleFor = (rules: Rules, name: Name.Name | '', above: Visibility.NodeVisibility): Rule | undefined => {
  for (const { rule, matches } of rules[compiled])
    if (matches(name)) return Visibility.byRestriction.compare(rule.visibility, above.visibility) < 0 ? undefined : rule
  return undefined
}
