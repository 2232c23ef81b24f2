import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { storagePath } from '../../testkit/src/arbitraries/names.js'
import { rules } from '../../testkit/src/arbitraries/rules.js'
import { nodeVisibility, settings } from '../../testkit/src/arbitraries/values.js'
import * as Failure from '../src/Failure.js'
import type { Entries } from '../src/Listing.js'
import type { Name } from '../src/Name.js'
import * as NamePattern from '../src/NamePattern.js'
import * as Settings from '../src/Settings.js'
import * as StoragePath from '../src/StoragePath.js'
import * as View from '../src/View.js'
import * as Visibility from '../src/Visibility.js'
import { area, name, path, set, succeeded, u64, withRules } from './support.js'

const { explainVisibility } = View
const { visibilityAt } = Settings
const rank = { public: 0, hidden: 1, private: 2 }

it('the visibility object has the JSON of the interface', () => {
  expect(Visibility.all).toStrictEqual(['public', 'hidden', 'private'])
  fc.assert(
    fc.property(nodeVisibility, (value) => {
      expect(JSON.parse(Visibility.json(value))).toStrictEqual(Visibility.nodeCodec.encode(value))
    }),
  )
})

const byRule = (all: Settings.Settings, at: StoragePath.StoragePath, above: Visibility.Visibility) =>
  Settings.rules(all)
    .filter(({ pattern }) => NamePattern.matches(pattern, StoragePath.name(at)))
    .filter(({ visibility: least }) => rank[least] >= rank[above])
    .sort((x, y) => rank[y.visibility] - rank[x.visibility])[0]

/** Decides a path from the root down: the oracle. */
const plainly = (all: Settings.Settings, at: StoragePath.StoragePath): ReadonlyArray<Settings.Step> => {
  const map = new Map(Settings.entries(all))
  const steps: Array<Settings.Step> = []
  for (const on of [...StoragePath.upwards(at)].reverse()) {
    const above = steps.at(-1)?.visibility.visibility
    const own = map.get(on)
    const rule = own === undefined && above !== undefined ? byRule(all, on, above) : undefined
    const isInherited = own === undefined && rule === undefined && above !== undefined
    const decided = { inherited: isInherited, visibility: own ?? rule?.visibility ?? above ?? 'private' } as const
    steps.push({ path: on, own: O.fromNullable(own), rule: O.fromNullable(rule), visibility: decided })
  }
  return steps
}

describe('for any settings, rules and path', () => {
  const ruled = fc
    .tuple(settings, rules)
    .map(([all, more]) => succeeded(E.fromOption(() => 'too many')(Settings.addRules(all, more))))

  it('the visibility is that of a plain reading of settings and rules from the root down', () => {
    fc.assert(
      fc.property(ruled, storagePath, (all, at) => {
        const expected = plainly(all, at)
        expect(Settings.stepsTo(all, at)).toStrictEqual(expected)
        expect(visibilityAt(all, at)).toStrictEqual(expected.at(-1)?.visibility)
        const parent = expected.at(-2)
        if (parent === undefined) return
        for (const children of [0, 1_000]) {
          const ofChild = Settings.visibilityOfChildren(all, parent.path, parent.visibility, children)
          expect(ofChild(StoragePath.name(at) as Name)).toStrictEqual(expected.at(-1)?.visibility)
        }
      }),
    )
  })

  it('a rule never shows more', () => {
    fc.assert(
      fc.property(ruled, storagePath, (all, at) => {
        const [before, after] = [Settings.fromEntries(Settings.entries(all)), all].map((each) =>
          explainVisibility(each, at),
        )
        expect([after?.reachable && !before?.reachable, after?.listed && !before?.listed]).toStrictEqual([false, false])
      }),
    )
  })

  it('an explanation names the deciding path and rule, and agrees with the view of visitors', () => {
    fc.assert(
      fc.property(ruled, storagePath, (all, at) => {
        const chain = [...plainly(all, at)].reverse()
        const listed =
          chain[1] !== undefined &&
          View.visitorMayRequest(all, chain[1].path) &&
          View.isShownToVisitors(visibilityAt(all, at))
        expect(explainVisibility(all, at)).toStrictEqual({
          visibility: visibilityAt(all, at),
          reachable: View.visitorMayRequest(all, at),
          listed,
          decidedBy: O.fromNullable(chain.find(({ own, rule }) => O.isSome(own) || O.isSome(rule))),
          chain,
        })
      }),
    )
  })
})

it.each<[string, boolean, Visibility.Visibility]>([
  ['/x/.git', false, 'private'],
  ['/x/.git/config', true, 'private'],
  ['/b.TMP', false, 'hidden'],
  ['/b.TMP/c.tmp', false, 'hidden'],
  ['/open.tmp', false, 'public'],
  ['/p/c.tmp', true, 'private'],
  ['/ab', false, 'private'],
])('with rules, %s: inherited is %s, %s', (at, inherited, expected) => {
  const ruled = withRules(
    set({ '/': 'public', '/open.tmp': 'public', '/p': 'private' }),
    ['*.tmp', 'hidden'],
    ['.git', 'private'],
    ['a*', 'hidden'],
    ['*b', 'private'],
  )
  expect(visibilityAt(ruled, path(at))).toStrictEqual({ inherited, visibility: expected })
})

it('no rule decides about the root, or about a path with a setting', () => {
  const ruled = withRules(set({ '/a': 'public' }), ['*', 'private'])
  expect(Settings.stepsTo(ruled, path('/a')).map(({ rule }) => rule)).toStrictEqual([O.none, O.none])
})

it.each<[Visibility.Visibility, boolean, boolean, boolean]>([
  ['public', false, true, true],
  ['public', true, true, true],
  ['hidden', true, true, true],
  ['hidden', false, false, true],
  ['private', false, false, false],
  ['private', true, false, false],
])(
  '%s, inherited %s: a directory shows it to visitors %s, they may request it %s',
  (own, inherited, shown, reached) => {
    const [visitor, owner] = [View.ofVisitor, View.ofOwner].map((viewOf) => viewOf(area, Settings.none))
    const node = { inherited, visibility: own }
    expect([View.isShownToVisitors(node), View.isOpenToVisitors(node)]).toStrictEqual([shown, reached])
    expect([visitor?.shows(node), visitor?.mayRequest(node)]).toStrictEqual([shown, reached])
    expect([owner?.shows(node), owner?.mayRequest(node)]).toStrictEqual([true, true])
  },
)

describe('settings', () => {
  it('have the entries that they were made from; the last one for a path wins', () => {
    const [a, b] = [path('/a'), path('/b')]
    const made = Settings.fromEntries([
      [a, 'public'],
      [b, 'hidden'],
      [a, 'private'],
    ])
    expect([...Settings.entries(made)]).toStrictEqual([
      [a, 'private'],
      [b, 'hidden'],
    ])
    expect([Settings.size(made), Settings.size(Settings.none)]).toStrictEqual([2, 0])
    expect([a, path('/'), path('/a/b')].map((at) => Settings.ownAt(made, at))).toStrictEqual([
      O.some('private'),
      O.none,
      O.none,
    ])
  })

  it.each(['/..', '/a/./b', '/\0', '/\ud800', `/${'x'.repeat(256)}`])(
    'from a record with the invalid path %j leave all private',
    (wrong) => {
      const record: { readonly '/z': 'public' } = { [wrong]: 'hidden', '/z': 'public' }
      expect([...Settings.entries(Settings.fromRecord({ '/z': 'public' }))]).toStrictEqual([['/z', 'public']])
      expect(Settings.size(Settings.fromRecord(record))).toBe(0)
    },
  )
})

const entriesOf = (...names: ReadonlyArray<string>): Entries =>
  names.map((text) => ({ type: 'dir', name: name(text), last_modified: u64(1n) }) as const)

const owner = View.ofOwner(area, Settings.none)
const visitor = View.ofVisitor(
  area,
  set({ '/': 'public', '/h': 'hidden', '/h/deeper': 'hidden', '/h/free': 'public', '/private': 'private' }),
)

describe('a directory shows', () => {
  const gap = undefined

  it.each<[string, View.View, string, ReadonlyArray<string>, ReadonlyArray<string | undefined>, number?]>([
    ['public children, and a gap for each other one', visitor, '/', ['a', 'h', 'h2', 'private'], ['a', gap, 'h2', gap]],
    [
      'the contents of a hidden one without a second secret',
      visitor,
      '/h',
      ['a', 'deeper', 'free'],
      ['a', gap, 'free'],
    ],
    ['children from a start', visitor, '/', ['a', 'h', 'private', 'z'], [gap, 'z'], 2],
    ['no child after its last', visitor, '/', ['a', 'h'], [], 2],
    ['children with a path of 255 segments', owner, '/a'.repeat(254), ['a'], ['a']],
    ['no child with a longer path, which no request could name', owner, '/a'.repeat(255), ['a'], [gap]],
  ])('%s', (_, view, directory, names, shown, start) => {
    const build = View.visibleChildren(view, path(directory), ({ name: read }) => read, { start })
    const children = build({ entries: entriesOf(...names), unlistable: 0 })
    expect(E.map((all: Iterable<unknown>) => [...all])(children)).toStrictEqual(E.right(shown))
  })

  it('builds each child when a consumer reads it, and again in the next iteration', () => {
    const built: Array<string> = []
    const build = View.visibleChildren(owner, path('/'), ({ name: read }) => built.push(read))
    const children = E.getOrElseW(() => expect.fail('not complete'))(
      build({ entries: entriesOf('a', 'b'), unlistable: 0 }),
    )
    for (const _ of children) break
    expect(built).toStrictEqual(['a'])
    expect([...children].length).toBe(2)
    expect(built).toStrictEqual(['a', 'a', 'b'])
  })

  it.each<[string, View.View, string, ReadonlyArray<string>, boolean]>([
    ['a visible entry', visitor, '/', ['a'], false],
    ['a visible entry beside a hidden one', visitor, '/', ['h', 'a'], false],
    ['a hidden entry', visitor, '/', ['h'], true],
    ['a private entry', visitor, '/private', ['b'], true],
    ['any entry of the owner', owner, '/', ['private'], false],
    ['an entry with too long a path', owner, '/a'.repeat(255), ['b'], true],
  ])('the rest if the storage cannot examine %s', (_, view, directory, unknown, isComplete) => {
    const listing = { entries: [], unlistable: 0, unknown: { names: unknown.map(name), cause: 'EIO' } }
    const children = View.visibleChildren(view, path(directory), () => 'child')(listing)
    expect(E.map(() => 'complete')(children)).toStrictEqual(
      isComplete ? E.right('complete') : E.left(Failure.external('EIO')),
    )
  })
})
