import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { name as anyName } from '../../testkit/src/arbitraries/names.js'
import { locate, pathsOf, place, worldAccount } from '../../testkit/src/arbitraries/worlds.js'
import { collectLines } from '../../testkit/src/backends/collectLines.js'
import * as Failure from '../src/Failure.js'
import * as Lines from '../src/Lines.js'
import * as Listing from '../src/Listing.js'
import * as Name from '../src/Name.js'
import type { ListEnv, NodeAtEnv } from '../src/ports.js'
import * as Settings from '../src/Settings.js'
import * as StoragePath from '../src/StoragePath.js'
import * as Tree from '../src/Tree.js'
import type { TreeNode } from '../src/TreeNode.js'
import { treeAt } from '../src/treeAt.js'
import * as View from '../src/View.js'
import {
  area,
  dir,
  file,
  nodesOf,
  pageSizes,
  path,
  requestFor,
  set,
  settingsOf,
  shouldNotBeCalled,
  storageOf,
} from './support.js'
import { bounds, collected, flat, owner } from './trees.js'

type LineFields = NonNullable<Parameters<typeof Tree.bounds>[0]['lines']>

interface Line {
  readonly type: string
  readonly path: string
  readonly expanded?: boolean
  readonly after?: string
}

const textOf = (at: string, view: View.View, storage: NodeAtEnv & ListEnv, some: Tree.Bounds) =>
  pipe(
    treeAt(some)(requestFor(view, at))(storage),
    TE.flatMap((tree) => collectLines(tree, some)),
  )()

const parsed = (text: string): ReadonlyArray<Line> =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const linesOf = async (...asked: Parameters<typeof textOf>): Promise<ReadonlyArray<Line>> => {
  const text = await textOf(...asked)
  return E.isRight(text)
    ? text.right
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : expect.fail(text.left.error)
}

const lines = (fields: LineFields = {}, nodes?: number, depth?: number) => bounds({ lines: fields, nodes, depth })

const pathsIn = (all: ReadonlyArray<Line>) => all.slice(0, -1).map((line) => line.path)

/** Compares depth first: name by name, a directory before its children. */
const follows = (one: string, other: string): boolean => {
  const [names, others] = [one, other].map((at) => at.split('/').filter((name) => name !== ''))
  const at = names?.findIndex((name, index) => name !== others?.[index]) ?? -1
  if (names === undefined || others === undefined || at === -1) return false
  return at >= others.length || Buffer.compare(Buffer.from(names[at] ?? ''), Buffer.from(others[at] ?? '')) > 0
}

const cases = fc
  .record({
    account: worldAccount(),
    at: place,
    after: place,
    asOwner: fc.boolean(),
    fromRoot: fc.boolean(),
    pageEntries: fc.constantFrom(...pageSizes),
    depth: fc.option(fc.nat({ max: 4 }), { nil: undefined }),
  })
  .map(({ account, asOwner, fromRoot, pageEntries, depth, ...places }) => {
    const located = locate(pathsOf(account.area))
    return {
      at: fromRoot ? '/' : located(places.at),
      after: located(places.after),
      view: (asOwner ? View.ofOwner : View.ofVisitor)(area, settingsOf(account)),
      storage: storageOf(nodesOf(account), pageEntries),
      depth,
    }
  })

describe('for every world, the lines of a tree', () => {
  it('are the nodes of the nested tree, depth first, with the same directories expanded', () =>
    fc.assert(
      fc.asyncProperty(cases, async ({ at, view, storage, depth }) => {
        const nested = await collected(at, bounds({ depth }), view, storage)
        const text = await textOf(at, view, storage, lines({}, undefined, depth))
        const expected = E.map((node: TreeNode) => [
          ...flat(node, at).map(({ path, node: { type, visibility, ...rest } }) => ({
            type,
            path,
            visibility,
            ...(type === 'file' ? {} : { size: 0 }),
            ...('content' in rest || type === 'file' ? {} : { expanded: false }),
          })),
          { type: 'end' },
        ])(nested)
        expect(E.map(parsed)(text)).toMatchObject(expected)
      }),
    ))

  it('after any path below the requested one are those that follow it', () =>
    fc.assert(
      fc.asyncProperty(cases, async ({ at, after, view, storage, depth }) => {
        const text = await textOf(at, view, storage, lines({ after }, undefined, depth))
        const isReached = view.reaches(Settings.visibilityAt(view.settings, path(after)))
        const isBelow = StoragePath.contains(path(at))(path(after))
        const whole = await textOf(at, view, storage, lines({}, undefined, depth))
        const isRest = (line: string) => JSON.parse(line).type === 'end' || follows(JSON.parse(line).path, after)
        const rest = E.map((all: string) => all.replace(/[^\n]*\n/g, (line) => (isRest(line) ? line : '')))(whole)
        expect(text).toStrictEqual(isBelow && isReached ? rest : E.left(Failure.permissionDenied))
      }),
    ))

  it('within any budget are all nodes once, when a client follows `next`', () =>
    fc.assert(
      fc.asyncProperty(cases, fc.integer({ min: 1, max: 5 }), async ({ at, view, storage }, nodes) => {
        const whole = await textOf(at, view, storage, lines())
        if (E.isLeft(whole) || !view.reaches(Settings.visibilityAt(view.settings, path(at)))) return
        let walked: ReadonlyArray<Line> = []
        let after: string | undefined
        do {
          const part = await linesOf(at, view, storage, lines({ after }, nodes))
          expect(part.length).toBeLessThanOrEqual(nodes + 1)
          walked = [...walked.slice(0, -1), ...part]
          after = part.at(-1)?.after
        } while (after !== undefined)
        expect(walked).toEqual(
          whole.right
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line)),
        )
      }),
    ))

  it('hold the matching names if there is a pattern, and `next` counts the others too', () =>
    fc.assert(
      fc.asyncProperty(cases, fc.constantFrom('*', 'a*', '*.jpg', '?'), async ({ at, view, storage }, name) => {
        const whole = await textOf(at, view, storage, lines())
        if (E.isLeft(whole)) return
        const all = whole.right
          .trim()
          .split('\n')
          .map((line): Line => JSON.parse(line))
        const matches = Lines.matcher({ after: O.none, name: O.some(name as never) })
        const expected = pathsIn(all).filter((each) => matches(each.slice(each.lastIndexOf('/') + 1)))
        expect(pathsIn(await linesOf(at, view, storage, lines({ name })))).toEqual(expected)
        const first = await linesOf(at, view, storage, lines({ name }, 1))
        expect(first.at(-1)).toEqual(all.length > 2 ? { type: 'next', after: at } : { type: 'end' })
      }),
    ))
})

describe('the path after which lines start', () => {
  it.each(['', 'a', 'a/b', '/a/', '//', '/a//b', '/..', '/\0', `/${'a'.repeat(256)}`])('is refused: %j', (after) => {
    expect(Tree.bounds({ lines: { after } })).toStrictEqual(E.left('after'))
  })

  it('is compared name by name: a directory precedes its children, and both a longer name', async () => {
    const storage = storageOf([dir('a', file('b')), file('a-1'), file('a!')])
    const all = ['/', '/a', '/a/b', '/a!', '/a-1']
    expect(pathsIn(await linesOf('/', owner, storage, lines()))).toEqual(all)
    for (const [index, after] of all.entries())
      expect(pathsIn(await linesOf('/', owner, storage, lines({ after })))).toEqual(all.slice(index + 1))
  })

  it.each([
    ['/b/x', '/b'],
    ['/c', '/c'],
    ['/b/x/y', '/b'],
  ])('may be of a node that is gone, or below a file: %s', async (after, before) => {
    const storage = storageOf([file('a'), file('b'), file('d')])
    const all = await linesOf('/', owner, storage, lines({ after }))
    expect(pathsIn(all)).toEqual(['/b', '/d'].filter((each) => each > before))
  })

  it.each(['/private/x', '/private', '/other'])('is denied before the storage is asked: %s', async (after) => {
    const view = View.ofVisitor(area, set({ '/pub': 'public', '/other': 'public', '/pub/private': 'private' }))
    const silent = { nodeAt: shouldNotBeCalled, list: shouldNotBeCalled }
    const asked = after === '/other' ? after : `/pub${after}`
    expect(await textOf('/pub', view, silent, lines({ after: asked }))).toStrictEqual(E.left(Failure.permissionDenied))
  })

  it('does not lead into a directory that is left out, though a visitor may reach it by name', async () => {
    const view = View.ofVisitor(area, set({ '/': 'public', '/b': 'hidden' }))
    const storage = storageOf([dir('a'), dir('b', file('x'), file('y')), file('c')])
    expect(pathsIn(await linesOf('/', view, storage, lines({ after: '/b/x' })))).toEqual(['/c'])
  })

  it('of a file that is requested leaves only the end', async () => {
    expect(await linesOf('/f', owner, storageOf([file('f')]), lines({ after: '/f' }))).toEqual([{ type: 'end' }])
  })

  it('costs pages in proportion to its depth, however many nodes precede it', async () => {
    const many = Array.from({ length: 500 }, (_, index) => file(`f${String(index).padStart(3, '0')}`))
    const storage = storageOf([...many, dir('g', ...many, dir('h', ...many))], 10)
    let pages = 0
    const list: ListEnv['list'] = (...asked) => {
      pages += 1
      return storage.list(...asked)
    }
    const rest = await linesOf('/', owner, { ...storage, list }, lines({ after: '/g/h/f497' }))
    expect(pathsIn(rest)).toEqual(['/g/h/f498', '/g/h/f499'])
    expect(pages).toBeLessThanOrEqual(3)
  })
})

describe('a directory that cannot be read', () => {
  const locked = { ...dir('b', file('x')), locked: true } as const
  const storage = storageOf([file('a'), locked, file('c')])
  const unreadable = { type: 'dir', path: '/b', expanded: false }

  it('is not expanded, and is sent whatever name is searched for', async () => {
    expect(await linesOf('/', owner, storage, lines())).toMatchObject([
      { path: '/' },
      { path: '/a' },
      unreadable,
      { path: '/c' },
      { type: 'end' },
    ])
    expect(await linesOf('/', owner, storage, lines({ name: 'c' }))).toMatchObject([
      unreadable,
      { path: '/c' },
      { type: 'end' },
    ])
  })

  it.each(['/b', '/b/x'])('is sent again where the lines start in it, without counting: after %s', async (after) => {
    const all = await linesOf('/', owner, storage, lines({ after }, 1))
    expect(all).toMatchObject([unreadable, { path: '/c' }, { type: 'end' }])
  })

  it('is external if the client has its first page', async () => {
    const paged = storageOf([dir('d', file('a'), file('b'), file('c'))], 1)
    const list: ListEnv['list'] = (in_, at, options) =>
      options?.after === 'a' && at === '/d' ? TE.left(Failure.external('broken')) : paged.list(in_, at, options)
    expect(await textOf('/', owner, { ...paged, list }, lines())).toMatchObject(E.left({ error: 'external' }))
  })

  it('is at its end if it was removed after its first page', async () => {
    const paged = storageOf([dir('d', file('a'), file('b')), file('e')], 1)
    const list: ListEnv['list'] = (in_, at, options) =>
      options?.after === 'a' && at === '/d' ? TE.left(Failure.fileNotFound) : paged.list(in_, at, options)
    expect(pathsIn(await linesOf('/', owner, { ...paged, list }, lines()))).toEqual(['/', '/d', '/d/a', '/e'])
  })
})

describe('the text just before a name', () => {
  it('precedes the name', () =>
    fc.assert(
      fc.property(anyName, (some) => {
        expect(Name.byBytes.compare(Name.justBefore(some), some)).toBe(-1)
      }),
    ))

  it.each(['a', 'ab', '\u0001', 'a\u0001', '\ue000', '\u{10000}', '\u{10ffff}'])(
    'follows other names that precede it: %j',
    (text) => {
      const before = Name.justBefore(text as Name.Name)
      const others = ['A', '`', '`~', 'aa', 'aa~', '\ud7ff', '\uffff', '\u{10fffe}'].filter(
        (other) => Name.byBytes.compare(other, text) < 0,
      )
      for (const other of others) expect(Name.byBytes.compare(other, before)).toBeLessThanOrEqual(0)
    },
  )

  it('is found by index, with the name itself or the entry after it', () => {
    const entries = ['a', 'c'].map(
      (each) => ({ type: 'dir', name: each as Name.Name, last_modified: 0n as never }) as const,
    )
    expect(['', 'a', 'b', 'c', 'd'].map((each) => Listing.indexFrom(entries, each))).toEqual([0, 0, 1, 1, 2])
  })
})
