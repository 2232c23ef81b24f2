import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import * as Name from './Name.js'
import * as NamePattern from './NamePattern.js'
import type * as Visibility from './Visibility.js'

/** Restricts every node whose name matches. A rule never makes a node more visible, so it cannot say `public`. */
export interface Rule {
  readonly pattern: NamePattern.NamePattern
  readonly visibility: Exclude<Visibility.Visibility, 'public'>
}

export const visibilityCodec = t.keyof({ hidden: null, private: null }, 'RuleVisibility')

/** The rules of one area: one for each pattern, private ones first. */
export type Rules = ReadonlyArray<Rule>

export const maxCount = 100

/** Upper bound of the bytes of all patterns together. */
export const maxBytes = 2048

const order = ({ visibility }: Rule): number => (visibility === 'private' ? 0 : 1)

/** The last rule with a pattern wins. Refuses more rules than {@link maxCount}, or more bytes of patterns than {@link maxBytes}. */
export const fromRules = (rules: ReadonlyArray<Rule>): O.Option<Rules> => {
  const all = [...new Map(rules.map((rule) => [rule.pattern, rule])).values()].sort((x, y) => order(x) - order(y))
  const bytes = Name.utf8Length(all.map(({ pattern }) => pattern).join(''))
  return bytes > maxBytes || all.length > maxCount ? O.none : O.some(all)
}

/**
 * Returns the rule that decides about a node without a setting, if any. A rule as restrictive as the inherited visibility decides
 * too. The root has no name, so no rule matches it.
 */
export const ruleFor = (rules: Rules, name: Name.Name | '', inherited: Visibility.NodeVisibility): Rule | undefined => {
  const rule = name === '' ? undefined : rules.find(({ pattern }) => NamePattern.matches(pattern, name))
  return rule?.visibility === 'hidden' && inherited.visibility === 'private' ? undefined : rule
}
