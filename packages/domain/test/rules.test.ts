import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import * as Arbitrary from '../../testkit/src/arbitraries/names.js'
import { literalPattern, namePattern, rules } from '../../testkit/src/arbitraries/rules.js'
import { settings } from '../../testkit/src/arbitraries/values.js'
import type { Name } from '../src/Name.js'
import * as NamePattern from '../src/NamePattern.js'
import * as Rules from '../src/Rules.js'
import * as Settings from '../src/Settings.js'
import * as StoragePath from '../src/StoragePath.js'
import * as View from '../src/View.js'
import * as Visibility from '../src/Visibility.js'
import { path, set } from './support.js'

const pattern = (text: string): NamePattern.NamePattern => {
  if (!NamePattern.is(text)) throw new Error(`not a pattern: ${text}`)
  return text
}

const matches = (text: string, name: string): boolean => NamePattern.matcher(pattern(text))(name)

const rulesOf = (...all: ReadonlyArray<readonly [string, 'hidden' | 'private']>): Rules.Rules => {
  const made = Rules.fromRules(all.map(([text, visibility]) => ({ pattern: pattern(text), visibility })))
  if (O.isNone(made)) throw new Error('the rules exceed their bounds')
  return made.value
}

const withRules = (record: Readonly<Record<string, Visibility.Visibility>>, all: Rules.Rules) =>
  Settings.withRules(all)(set(record))

const rank = { public: 0, hidden: 1, private: 2 }

describe('a pattern', () => {
  it.each<[string, ReadonlyArray<string>, ReadonlyArray<string>]>([
    ['.git', ['.git', '.GIT', '.Git'], ['.gitignore', 'x.git', 'git']],
    ['*.pem', ['.pem', 'a.pem', 'A.PEM', 'a.pem.pem'], ['a.pem ', 'apem', 'a.pe']],
    ['.env.*', ['.env.', '.env.local'], ['.env', '.environment']],
    ['.*', ['.a', '.', '..a'], ['a.', 'a']],
    ['*', ['a', '\n', '\u{1f600}'], []],
    ['?', ['a', '\u00e9', '\u{1f600}', '\n'], ['ab', 'e\u0301', '\u{1f600}a']],
    ['*?', ['a', 'ab', '\u{1f600}'], []],
    ['?*?', ['ab', 'a\u{1f600}', '\u{1f600}a'], ['a', '\u{1f600}']],
    ['a*b*c', ['abc', 'abbbc', 'axbyc', 'abcbc'], ['ab', 'acb', 'abcx', 'abcb']],
    ['*a*a*', ['aa', 'xaya', 'AA'], ['a', 'xax']],
    ['a**b', ['ab', 'axb'], ['a', 'b']],
    ['ab*ba', ['abba', 'abxba'], ['aba', 'ab', 'ba']],
    ['\\*', ['*'], ['a', '']],
    ['\\?\\\\', ['?\\'], ['a\\', '?']],
    ['\\a', ['a', 'A'], ['\\a']],
    ['\\*\\**', ['**', '**a'], ['*', 'a*']],
    ['\u00e9', ['\u00e9'], ['\u00c9', 'e\u0301', 'e']],
    ['k', ['k', 'K'], ['\u212a']],
    ['i', ['i', 'I'], ['\u0130', '\u0131']],
    ['[a]', ['[a]', '[A]'], ['a']],
    ['@eaDir', ['@eaDir', '@eadir'], ['@eaDi']],
    ['*\u{1f600}', ['\u{1f600}', 'a\u{1f600}'], ['\u{1f601}']],
  ])('%j', (text, matched, others) => {
    expect(matched.filter((name) => !matches(text, name))).toStrictEqual([])
    expect(others.filter((name) => matches(text, name))).toStrictEqual([])
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
        expect(NamePattern.matcher(text)(name)).toBe(oracle(text).test(name))
      }),
      { numRuns: 2_000 },
    )
  })

  it('of a name with its special characters escaped matches that name', () => {
    fc.assert(
      fc.property(Arbitrary.name, (name) => {
        const literal = literalPattern(name)
        expect(O.isNone(literal) || NamePattern.matcher(literal.value)(name)).toBe(true)
      }),
    )
  })

  it.each(['', '/', 'a/b', 'a\0', '\ud800', '\\', 'a\\', '\\\\\\', 'x'.repeat(256), '\u00e9'.repeat(128)])(
    'is never %j',
    (text) => {
      expect([NamePattern.is(text), O.isNone(NamePattern.fromString(text))]).toStrictEqual([false, true])
      expect(E.isLeft(NamePattern.codec.decode(text))).toBe(true)
    },
  )

  it.each(['\\\\', 'a\\\\', '\\\\\\*', 'x'.repeat(255), '\u{1f600}', '.', '..', ' '])('may be %j', (text) => {
    expect(NamePattern.fromString(text)).toStrictEqual(O.some(text))
    expect(NamePattern.codec.decode(text)).toStrictEqual(E.right(text))
  })
})

/** A name that counts how often the matcher looks at one of its characters. */
const countingName = (text: string, count: { steps: number }): Name => {
  const look = <A>(value: A): A => {
    count.steps += 1
    return value
  }
  const name = {
    length: text.length,
    charCodeAt: (at: number) => look(text.charCodeAt(at)),
    codePointAt: (at: number) => look(text.codePointAt(at)),
  }
  return name as unknown as Name
}

describe('matching takes at most pattern times name steps', () => {
  it.each([
    ['a'.repeat(255), 'a'.repeat(255)],
    ['?'.repeat(255), 'a'.repeat(255)],
    ['*a'.repeat(127), 'a'.repeat(255)],
    [`${'*a'.repeat(126)}*b`, 'a'.repeat(255)],
    [`*${'a'.repeat(126)}b*`, 'a'.repeat(255)],
    [`*${'?'.repeat(126)}b*`, 'a'.repeat(255)],
    [`*${'a?'.repeat(63)}b*c`, `${'a'.repeat(254)}c`],
  ])('%s', (text, name) => {
    const count = { steps: 0 }
    NamePattern.matcher(pattern(text))(countingName(name, count))
    expect(count.steps).toBeGreaterThan(0)
    expect(count.steps).toBeLessThanOrEqual(text.length * name.length)
  })

  it('also for any pattern and name', () => {
    fc.assert(
      fc.property(namePattern, fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 255 }), (text, name) => {
        const count = { steps: 0 }
        NamePattern.matcher(text)(countingName(name, count))
        // One step more where a part is tried at the very end.
        expect(count.steps).toBeLessThanOrEqual((text.length + 1) * (name.length + 1))
      }),
    )
  })
})

describe('a rule', () => {
  it('decides about a name without a setting', () => {
    const all = withRules({ '/': 'public' }, rulesOf(['.git', 'private'], ['*.tmp', 'hidden']))
    expect(Settings.visibilityAt(all, path('/a/.git'))).toStrictEqual({ inherited: false, visibility: 'private' })
    expect(Settings.visibilityAt(all, path('/a/.git/x'))).toStrictEqual({ inherited: true, visibility: 'private' })
    expect(Settings.visibilityAt(all, path('/b.TMP'))).toStrictEqual({ inherited: false, visibility: 'hidden' })
    expect(Settings.visibilityAt(all, path('/b'))).toStrictEqual({ inherited: true, visibility: 'public' })
  })

  it('yields to a setting on the path itself', () => {
    const all = withRules({ '/': 'private', '/.git': 'public' }, rulesOf(['*', 'private']))
    expect(Settings.visibilityAt(all, path('/.git'))).toStrictEqual({ inherited: false, visibility: 'public' })
  })

  it('does not match the root', () => {
    const all = withRules({}, rulesOf(['*', 'private']))
    expect(Settings.stepsTo(all, StoragePath.root)).toStrictEqual([
      { path: '/', own: O.none, rule: O.none, visibility: { inherited: false, visibility: 'private' } },
    ])
    expect(Settings.visibilityAt(all, StoragePath.root)).toStrictEqual({ inherited: false, visibility: 'private' })
  })

  it('decides on a tie, and not where the inherited visibility is less', () => {
    const hide = rulesOf(['a', 'hidden'])
    const at = (visibility: Visibility.Visibility) =>
      Settings.visibilityAt(withRules({ '/': visibility }, hide), path('/a'))
    expect(at('public')).toStrictEqual({ inherited: false, visibility: 'hidden' })
    expect(at('hidden')).toStrictEqual({ inherited: false, visibility: 'hidden' })
    expect(at('private')).toStrictEqual({ inherited: true, visibility: 'private' })
  })

  it('of several that match, the least visible wins, whatever their order', () => {
    const both: ReadonlyArray<readonly [string, 'hidden' | 'private']> = [
      ['a*', 'hidden'],
      ['*b', 'private'],
    ]
    for (const all of [rulesOf(...both), rulesOf(...[...both].reverse())]) {
      const { chain, decidedBy } = View.explainVisibility(withRules({ '/': 'public' }, all), path('/x/ab/y'))
      expect(decidedBy).toStrictEqual(O.some('/x/ab'))
      expect(chain[1]?.rule).toStrictEqual(O.some({ pattern: '*b', visibility: 'private' }))
      expect([chain[0], chain[2], chain[3]].map((step) => step?.rule)).toStrictEqual([O.none, O.none, O.none])
    }
  })

  it('is not named where a setting or the inherited visibility decides', () => {
    const all = withRules({ '/': 'private', '/a': 'public' }, rulesOf(['*', 'hidden']))
    const chain = View.explainVisibility(all, path('/a')).chain
    expect(chain.map(({ rule }) => rule)).toStrictEqual([O.none, O.none])
    const below = View.explainVisibility(withRules({ '/': 'private' }, rulesOf(['*', 'hidden'])), path('/a'))
    expect(below.decidedBy).toStrictEqual(O.some('/'))
    expect(below.chain[0]?.rule).toStrictEqual(O.none)
  })

  it('never shows more', () => {
    const ranked = (visibility: Visibility.NodeVisibility) => rank[visibility.visibility]
    fc.assert(
      fc.property(settings, rules, Arbitrary.storagePath, (all, more, at) => {
        const before = Settings.visibilityAt(all, at)
        const after = Settings.visibilityAt(Settings.withRules(more)(all), at)
        expect(ranked(after)).toBeGreaterThanOrEqual(ranked(before))
        expect(View.isShownToVisitors(after) && !View.isShownToVisitors(before)).toBe(false)
      }),
    )
  })

  it('agrees with a plain reading of the rules from the root down', () => {
    fc.assert(
      fc.property(settings, rules, Arbitrary.storagePath, (all, more, at) => {
        const both = Settings.withRules(more)(all)
        const map = new Map(Settings.entries(all))
        const fromRoot = [...StoragePath.upwards(at)].reverse()
        const expected = fromRoot.reduce<Visibility.NodeVisibility | undefined>((above, on) => {
          const own = map.get(on)
          if (own !== undefined) return { inherited: false, visibility: own }
          if (above === undefined) return { inherited: false, visibility: 'private' }
          const least = Rules.toRules(more)
            .filter((rule) => NamePattern.matcher(rule.pattern)(StoragePath.name(on)))
            .map(({ visibility }) => visibility)
            .sort((x, y) => rank[y] - rank[x])[0]
          return least !== undefined && rank[least] >= rank[above.visibility]
            ? { inherited: false, visibility: least }
            : { inherited: true, visibility: above.visibility }
        }, undefined)
        expect(Settings.visibilityAt(both, at)).toStrictEqual(expected)
        const parent = O.toUndefined(StoragePath.parent(at))
        if (parent === undefined) return
        for (const children of [0, 1_000])
          expect(
            Settings.visibilityOfChildren(
              both,
              parent,
              Settings.visibilityAt(both, parent),
              children,
            )(StoragePath.name(at) as Name),
          ).toStrictEqual(expected)
      }),
    )
  })
})

describe('rules have bounds', () => {
  it.each<[string, ReadonlyArray<string>, O.Option<number>]>([
    ['100 rules', Array(100).fill('a'), O.some(100)],
    ['101 rules', Array(101).fill('a'), O.none],
    ['2,048 bytes of patterns', [...Array(8).fill('\u00e9'.repeat(127)), 'x'.repeat(16)], O.some(9)],
    ['2,049 bytes of patterns', [...Array(8).fill('\u00e9'.repeat(127)), 'x'.repeat(17)], O.none],
  ])('%s', (_, patterns, expected) => {
    const made = Rules.fromRules(patterns.map((text) => ({ pattern: pattern(text), visibility: 'hidden' })))
    expect(O.map((all: Rules.Rules) => Rules.toRules(all).length)(made)).toStrictEqual(expected)
  })

  it('so that the costliest path takes at most 2,048 steps for each of its characters', () => {
    const expensive = [...Array(8).fill(`*${'?'.repeat(253)}b`), `*${'?'.repeat(6)}b`]
    const all = rulesOf(...expensive.map((text) => [text, 'hidden'] as const))
    const count = { steps: 0 }
    const names = Array.from({ length: 16 }, () => 'a'.repeat(255))
    const visibilities = names.map((name) => Rules.ruleFor(all, countingName(name, count), Visibility.own('public')))
    expect(visibilities).toStrictEqual(names.map(() => undefined))
    expect(count.steps).toBeLessThanOrEqual(2_048 * 16 * 255)
  })
})
