import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import * as Arbitrary from '../../testkit/src/arbitraries/names.js'
import { namePattern } from '../../testkit/src/arbitraries/rules.js'
import * as NamePattern from '../src/NamePattern.js'
import * as Rules from '../src/Rules.js'
import { notInherited } from '../src/Visibility.js'
import { pattern, succeeded } from './support.js'

describe('a pattern', () => {
  it.each<[string, ReadonlyArray<string>, ReadonlyArray<string>]>([
    ['.git', ['.git', '.GIT', '.Git'], ['.gitignore', 'x.git', 'git']],
    ['*.pem', ['.pem', 'a.pem', 'A.PEM', 'a.pem.pem'], ['a.pem ', 'apem', 'a.pe']],
    ['.env.*', ['.env.', '.env.local'], ['.env', '.environment']],
    ['*', ['a', '\n', '\u{1f600}'], []],
    ['?', ['a', '\u00e9', '\uffff', '\u{1f600}', '\n'], ['ab', 'e\u0301', '\u{1f600}a']],
    ['?*?', ['ab', 'a\u{1f600}', '\u{1f600}a'], ['a', '\u{1f600}']],
    ['a*b*c', ['abc', 'abbbc', 'axbyc', 'abcbc'], ['ab', 'acb', 'abcx', 'abcb']],
    ['a*x*b*c', ['axbc'], ['abc']],
    ['*a*a*', ['aa', 'xaya', 'AA'], ['a', 'xax']],
    ['a**b', ['ab', 'axb'], ['a', 'b']],
    ['ab*ba', ['abba', 'abxba'], ['aba', 'ab', 'ba']],
    ['\\*', ['*'], ['a', '']],
    ['\\?\\\\', ['?\\'], ['a\\', '?']],
    ['\\a', ['a', 'A'], ['\\a']],
    ['\\*\\**', ['**', '**a'], ['*', 'a*']],
    ['\u00e9', ['\u00e9'], ['\u00c9', 'e\u0301', 'e']],
    ['k', ['k', 'K'], ['\u212a']],
    ['[az]', ['[az]', '[AZ]'], ['a', '{az]', ';az]']],
    ['\u0001', ['\u0001'], ['a']],
    ['*a?', ['a\ue000', 'a\ud7ff', 'a\u{10000}', 'a\u{103ff}'], ['a', 'ab\ue000']],
    ['a?*', ['ab', 'abc'], ['a']],
    ['*???', ['abc', 'abcd'], ['a', 'ab']],
    ['*\u{1f600}', ['\u{1f600}', 'a\u{1f600}'], ['\u{1f601}']],
  ])('%j', (text, matched, others) => {
    const matches = (name: string) => NamePattern.matches(pattern(text), name)
    expect(matched.filter((name) => !matches(name))).toStrictEqual([])
    expect(others.filter(matches)).toStrictEqual([])
  })

  it('matches as the regular expression with the same meaning', () => {
    const ofToken = (token: string): string => {
      if (token === '*') return '.*'
      if (token === '?') return '.'
      const literal = token.length > 1 && token.startsWith('\\') ? token.slice(1) : token
      const escaped = `\\u{${literal.codePointAt(0)?.toString(16)}}`
      return /[A-Za-z]/.test(literal) ? `[${literal.toLowerCase()}${literal.toUpperCase()}]` : escaped
    }
    const oracle = (text: string) => new RegExp(`^${(text.match(/\\.|./gsu) ?? []).map(ofToken).join('')}$`, 'su')
    fc.assert(
      fc.property(namePattern, fc.oneof(Arbitrary.name, Arbitrary.alike), (text, name) => {
        expect(NamePattern.matches(text, name)).toBe(oracle(text).test(name))
      }),
      { numRuns: 2_000 },
    )
  })

  it.each(['\\\\', 'a\\\\', '\\\\\\*', 'x'.repeat(255), '\u{1f600}', '.', '..', ' '])('may be %j', (text) => {
    expect(NamePattern.fromString(text)).toStrictEqual(O.some(text))
  })
})

/** A name that counts how often the matcher reads one of its characters. */
const countingName = (text: string, count: { steps: number }): string => {
  const read = <A>(value: A): A => {
    count.steps += 1
    return value
  }
  const charCodeAt = (at: number) => read(text.charCodeAt(at))
  const codePointAt = (at: number) => read(text.codePointAt(at))
  return { length: text.length, charCodeAt, codePointAt } as unknown as string
}

it.each([
  ['a'.repeat(255), 'a'.repeat(255)],
  ['*a'.repeat(127), 'a'.repeat(255)],
  [`${'*a'.repeat(126)}*b`, 'a'.repeat(255)],
  [`*${'a'.repeat(126)}b*`, 'a'.repeat(255)],
  [`*${'?'.repeat(126)}b*`, 'a'.repeat(255)],
  [`*${'a?'.repeat(63)}b*c`, `${'a'.repeat(254)}c`],
])('matching takes at most pattern times name steps: %s', (text, name) => {
  const count = { steps: 0 }
  NamePattern.matches(pattern(text), countingName(name, count))
  expect(count.steps).toBeGreaterThan(0)
  expect(count.steps).toBeLessThanOrEqual(text.length * name.length)
})

const numbered = (count: number, tail: string) => Array.from({ length: count }, (_, index) => `${index}${tail}`)

const rulesOf = (patterns: ReadonlyArray<string>, visibility: Rules.Rule['visibility']): ReadonlyArray<Rules.Rule> =>
  patterns.map((text) => ({ pattern: pattern(text), visibility }))

it('so the costliest path takes at most 2,048 steps for each of its characters', () => {
  const count = { steps: 0 }
  const all = rulesOf([...numbered(8, '').map((digit) => `*${'?'.repeat(251)}b${digit}*`), '*?????b*'], 'hidden')
  const name = countingName('a'.repeat(255), count) as Parameters<typeof Rules.ruleFor>[1]
  for (let names = 0; names < 16; names += 1) expect(Rules.ruleFor(all, name, notInherited('public'))).toBe(undefined)
  expect(count.steps).toBeGreaterThan(16 * 255)
  expect(count.steps).toBeLessThanOrEqual(2_048 * 16 * 255)
})

describe('rules have bounds', () => {
  it.each<[string, ReadonlyArray<string>, O.Option<number>]>([
    ['100 rules', numbered(100, ''), O.some(100)],
    ['101 rules', numbered(101, ''), O.none],
    ['2,048 bytes of patterns', [...numbered(8, '\u00e9'.repeat(126)), 'x'.repeat(24)], O.some(9)],
    ['2,049 bytes of patterns', [...numbered(8, '\u00e9'.repeat(126)), 'x'.repeat(25)], O.none],
  ])('%s', (_, patterns, expected) => {
    const made = Rules.fromRules(rulesOf(patterns, 'hidden'))
    expect(O.map((all: Rules.Rules) => all.length)(made)).toStrictEqual(expected)
  })

  it('count a rule in place of one with its pattern once', () => {
    const full = [...rulesOf(numbered(100, ''), 'hidden'), ...rulesOf(['7'], 'private')]
    const all = succeeded(E.fromOption(() => 'too many rules')(Rules.fromRules(full)))
    expect(all.length).toBe(100)
    expect(all.find((rule) => rule.pattern === '7')?.visibility).toBe('private')
    expect(Rules.fromRules([...full, ...rulesOf(['x'], 'private')])).toStrictEqual(O.none)
  })

  it('allow hidden and private, never public', () => {
    expect(['hidden', 'private', 'public', ''].map(Rules.visibilityCodec.is)).toStrictEqual([true, true, false, false])
    expect(Rules.visibilityCodec.name).toBe('RuleVisibility')
  })
})
