import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { collectLines } from '../../testkit/src/backends/collectLines.js'
import * as Failure from '../src/Failure.js'
import * as NamePattern from '../src/NamePattern.js'
import type { ListEnv, NodeAtEnv } from '../src/ports.js'
import * as Settings from '../src/Settings.js'
import * as Tree from '../src/Tree.js'
import { treeAt } from '../src/treeAt.js'
import * as View from '../src/View.js'
import {
  area,
  dir,
  file,
  logging,
  numbered,
  path,
  pattern,
  requestFor,
  set,
  shouldNotBeCalled,
  storageOf,
  succeeded,
} from './support.js'
import { bounds, cases, owner } from './trees.js'

interface Line {
  readonly type: string
  readonly path: string
  readonly expanded?: boolean
  readonly after?: string
}

const parsed = (text: string): ReadonlyArray<Line> =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const linesOf = (at: string, view: View.View, storage: NodeAtEnv & ListEnv, some: Tree.Bounds) =>
  pipe(
    treeAt(some)(requestFor(view, at))(storage),
    TE.flatMap((tree) => collectLines(tree, some)),
    TE.map(parsed),
  )()

const lines = (fields: { after?: string | undefined; name?: string } = {}, nodes?: number, depth?: number) =>
  bounds({ lines: fields, nodes, depth })

const pathsOfAll = async (storage: NodeAtEnv & ListEnv, some: Tree.Bounds, view = owner) =>
  succeeded(await linesOf('/', view, storage, some))
    .slice(0, -1)
    .map((line) => line.path)

it('a line has the fields of its node, and says whether a directory is expanded', async () => {
  const storage = storageOf([dir('d', file('f', 3n))])
  const visibility = { inherited: true, visibility: 'private' }
  const root = { type: 'dir', path: '/', size: 0, last_modified: 0, visibility: { ...visibility, inherited: false } }
  const directory = { type: 'dir', path: '/d', size: 0, last_modified: 1, visibility }
  const inside = { type: 'file', path: '/d/f', size: 3, last_modified: 1, visibility }
  const end = { type: 'end' }
  expect(await linesOf('/', owner, storage, lines())).toStrictEqual(E.right([root, directory, inside, end]))
  const shallow = E.right([root, { ...directory, expanded: false }, end])
  expect(await linesOf('/', owner, storage, lines({}, undefined, 1))).toStrictEqual(shallow)
  expect(await linesOf('/', owner, storage, lines({ name: 'f' }, undefined, 1))).toStrictEqual(E.right([end]))
})

describe('for every world, the lines of a tree', () => {
  it('within any budget have each node once if a client follows `next`', () =>
    fc.assert(
      fc.asyncProperty(cases, fc.integer({ min: 1, max: 5 }), async ({ at, view, storage }, nodes) => {
        const whole = await linesOf(at, view, storage, lines())
        if (E.isLeft(whole) || !view.mayRequest(Settings.visibilityAt(view.settings, path(at)))) return
        const walked: Array<Line> = []
        let after: string | undefined
        do {
          const part = succeeded(await linesOf(at, view, storage, lines({ after }, nodes)))
          expect(part.length).toBeLessThanOrEqual(nodes + 1)
          walked.splice(-1, 1, ...part)
          after = part.at(-1)?.after
        } while (after !== undefined)
        expect(walked).toEqual(whole.right)
      }),
    ))

  it('with a pattern have the names that match, and count the others too', () =>
    fc.assert(
      fc.asyncProperty(cases, fc.constantFrom('*', 'a*', '*.jpg', '?'), async ({ at, view, storage }, name) => {
        const whole = await linesOf(at, view, storage, lines())
        if (E.isLeft(whole)) return
        const isFound = ({ path: on, type }: Line) =>
          type === 'end' || NamePattern.matches(pattern(name), on.slice(on.lastIndexOf('/') + 1))
        expect(succeeded(await linesOf(at, view, storage, lines({ name })))).toEqual(whole.right.filter(isFound))
        const first = succeeded(await linesOf(at, view, storage, lines({ name }, 1)))
        expect(first.at(-1)).toEqual(whole.right.length > 2 ? { type: 'next', after: at } : { type: 'end' })
      }),
    ))
})

describe('the path after which lines start', () => {
  it.each(['', 'a', 'a/b', '/a/', '//', '/a//b', '/..', '/\0', `/${'a'.repeat(256)}`])('is refused: %j', (after) => {
    expect(Tree.bounds({ lines: { after } })).toStrictEqual(E.left('after'))
    expect(Tree.bounds({ lines: { name: '' } })).toStrictEqual(E.left('name'))
  })

  it.each(['/pub/private/x', '/pub/private', '/other'])(
    'is denied without a call of the storage: %s',
    async (after) => {
      const view = View.ofVisitor(area, set({ '/pub': 'public', '/other': 'public', '/pub/private': 'private' }))
      const storage = { nodeAt: shouldNotBeCalled, list: shouldNotBeCalled }
      expect(await linesOf('/pub', view, storage, lines({ after }))).toStrictEqual(E.left(Failure.permissionDenied))
    },
  )

  it('skips every earlier page, also of names between it and the text that precedes it', async () => {
    const storage = storageOf([file('a\u{10ffff}1'), file('a\u{10ffff}2'), file('b'), file('c')], 1)
    expect(await pathsOfAll(storage, lines({ after: '/b' }))).toEqual(['/c'])
  })

  it('costs pages in proportion to its depth, however many nodes precede it', async () => {
    const nodes = [...numbered(500), dir('g', ...numbered(500), dir('h', ...numbered(500)))]
    const whole = storageOf(nodes, 10)
    const logs = ['/', '/g', '/g/h'].map((at) => logging(whole, at))
    for (const { calls, storage } of logs) {
      expect(await pathsOfAll(storage, lines({ after: '/g/h/497' }))).toEqual(['/g/h/498', '/g/h/499'])
      expect(calls.length).toBe(1)
    }
  })
})

describe('a directory that cannot be read', () => {
  const storage = storageOf([file('a'), { ...dir('b', file('x')), locked: true }, file('c')])
  const unreadable = { type: 'dir', path: '/b', expanded: false }
  const end = { type: 'end' }

  it.each<[string, Parameters<typeof lines>, ReadonlyArray<object>]>([
    ['is not expanded', [], [{ path: '/' }, { path: '/a' }, unreadable, { path: '/c' }, end]],
    ['has a line whatever its name', [{ name: 'c' }], [unreadable, { path: '/c' }, end]],
    ['has a line again after itself, outside the budget', [{ after: '/b' }, 1], [unreadable, { path: '/c' }, end]],
    ['has a line again after a child', [{ after: '/b/x' }, 1], [unreadable, { path: '/c' }, end]],
  ])('%s', async (_, some, expected) => {
    expect(succeeded(await linesOf('/', owner, storage, lines(...some)))).toMatchObject(expected)
  })

  it.each([
    ['that fails is external', Failure.external('broken'), E.left(Failure.external('broken'))],
    ['that is gone ends the directory', Failure.fileNotFound, E.right(['/', '/d', '/d/a', '/e'])],
  ])('a later page %s', async (_, failure, expected) => {
    const paged = storageOf([dir('d', file('a'), file('b')), file('e')], 1)
    const list: ListEnv['list'] = (in_, at, options) =>
      options?.after === 'a' && at === '/d' ? TE.left(failure) : paged.list(in_, at, options)
    const found = await linesOf('/', owner, { ...paged, list }, lines())
    expect(E.map((all: ReadonlyArray<Line>) => all.slice(0, -1).map((line) => line.path))(found)).toStrictEqual(
      expected,
    )
  })
})
