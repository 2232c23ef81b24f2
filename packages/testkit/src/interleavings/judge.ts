import { isDeepStrictEqual } from 'node:util'
import { model } from '../model.js'
import type { Answer, DirItemsAsk, TreeAsk } from '../scenarios/Scenario.js'
import { locationOf, type World } from '../World.js'

// Judges answers by the log of calls and by the model, never by the domain, which is judged here.

export type NodeAsk = TreeAsk | DirItemsAsk

/** The log of one request. */
export interface Run {
  readonly ask: NodeAsk
  readonly calls: ReadonlyArray<Call>
  /** The first world, and the world after each change. */
  readonly worlds: ReadonlyArray<World>
  readonly answer: Answer
}

/** One call of a port. The world at `moment` determines its result. */
export interface Call {
  readonly port: string
  /** Of a call of the storage: the location of the area, and the paths of the nodes that it found. */
  readonly location?: string
  readonly found?: ReadonlyArray<string>
  /** The index of the world. */
  readonly moment: number
  /** Ticks of one clock for all calls. */
  readonly begun: number
  readonly ended: number
  readonly isExternal: boolean
}

interface Node {
  readonly name?: string
  readonly content?: ReadonlyArray<Node>
}

/** A node that an answer shows, or the directory of a listing. */
interface Shown {
  readonly path: string
  /** Everything but `content`. */
  readonly text: string
  readonly isExpanded: boolean
}

const requestedPath = ({ path }: NodeAsk): string => decodeURIComponent(path).replace(/\/$/, '') || '/'
export const childOf = (path: string, name: string): string => `${path === '/' ? '' : path}/${name}`

const shownFrom = (path: string, { content, ...node }: Node): ReadonlyArray<Shown> => [
  { path, text: JSON.stringify(node), isExpanded: content !== undefined },
  ...(content ?? []).flatMap((child) => shownFrom(childOf(path, child.name ?? ''), child)),
]

/** Empty for a failure. */
const shownBy = (ask: NodeAsk, answer: Answer): ReadonlyMap<string, Shown> => {
  const { content, type }: { type: string; content: Node & ReadonlyArray<Node> } = JSON.parse(
    'body' in answer ? answer.body : '{}',
  )
  const top = type === 'dir content' ? { content } : content
  return new Map(top && shownFrom(requestedPath(ask), top).map((shown) => [shown.path, shown]))
}

/** Caches the result for each argument: thousands of runs share a few worlds. */
export const remember = <A extends object, B>(compute: (a: A) => B): ((a: A) => B) => {
  const known = new WeakMap<A, { readonly value: B }>()
  return (a) => {
    const { value } = known.get(a) ?? { value: compute(a) }
    known.set(a, { value })
    return value
  }
}

const modelAnswer = remember((world: World) => remember((ask: NodeAsk) => model(world, ask)))

/** Without a limit: an item moves onto a page when another is removed. */
const modelShows = remember((world: World) =>
  remember((ask: NodeAsk) =>
    shownBy(ask, model(world, 'limit' in ask ? { ...ask, limit: Number.POSITIVE_INFINITY } : ask)),
  ),
)

/** Combines three worlds: areas from the first, settings from the second, tokens and accounts from the third. */
const mixed = remember((storage: World) =>
  remember((settings: World) =>
    remember(
      (access: World): World => ({
        triggers: [],
        accounts: access.accounts.map((account, index) => ({
          ...account,
          settings: settings.accounts[index]?.settings ?? [],
          area: storage.accounts[index]?.area ?? 'missing',
        })),
      }),
    ),
  ),
)

const isIn =
  (location: string | undefined) =>
  ({ accounts }: World): boolean =>
    accounts.some((account) => locationOf(account) === location)

/**
 * Each call of the storage, with the model's answer for every reading of the registry that began after it: the storage as
 * the call met it, under the settings and the grant or account as the reading met them.
 */
const allowedPages = ({ ask, calls, worlds }: Run) =>
  calls.flatMap((page) => {
    const storage = worlds[page.moment]
    const isHere = isIn(page.location)
    if (storage === undefined || !isHere(storage)) return []
    const later = calls.filter(({ begun, location }) => begun > page.ended && location === undefined)
    const read = (isRead: (call: Call) => boolean) => [
      ...new Set(later.filter(isRead).flatMap(({ moment }) => worlds[moment] ?? [])),
    ]
    const opened = read(({ port }) => port !== 'settingsOf').filter(isHere)
    return read(({ port }) => port === 'settingsOf').flatMap((settings) =>
      opened.map((access) => ({ ...page, shows: modelShows(mixed(storage)(settings)(access))(ask) })),
    )
  })

const judgeShown = (run: Run, shown: ReadonlyMap<string, Shown>): ReadonlyArray<string> => {
  const { ask, calls, worlds } = run
  const all = [...shown.values()]
  const allowed = allowedPages(run)
  const unjustifiedIn = (location: string): ReadonlyArray<Shown> => {
    const pages = allowed.filter((page) => page.location === location)
    const isJustified = ({ path, text, isExpanded }: Shown): boolean =>
      pages.some(({ found, shows }) => found?.includes(path) && shows.get(path)?.text === text) &&
      (!isExpanded || pages.some(({ port, found, shows }) => port === 'list' && found?.[0] === path && shows.has(path)))
    return all.filter((each) => !isJustified(each))
  }
  // An answer must not mix two areas.
  const locations = new Set(calls.flatMap(({ location }) => location ?? []))
  const [unjustified = all] = [...locations].map(unjustifiedIn).sort((x, y) => x.length - y.length)
  const moments = worlds.map((world) => modelShows(world)(ask))
  const neverThere = all.filter(({ path, text }) => !moments.some((nodes) => nodes.get(path)?.text === text))
  const closed = all.filter(({ text, isExpanded }) => text.startsWith('{"type":"dir"') && !isExpanded)
  const mayBeClosed = (path: string): boolean =>
    moments.some((nodes) => nodes.size === 0 || nodes.get(path)?.isExpanded === false)
  const isFull = 'limit' in ask && all.length > (ask.limit ?? all.length)
  const isLacking = (path: string): boolean =>
    !shown.has(path) &&
    moments.every((nodes) => nodes.has(path)) &&
    !closed.some((directory) => path.startsWith(`${directory.path}/`)) &&
    !(isFull && path > (all.at(-1)?.path ?? ''))
  return [
    ...unjustified.map(({ path }) => `shows ${path}, which the registry, read after it, does not allow`),
    ...neverThere.map(({ path }) => `shows ${path}, which was never there and visible at once`),
    ...closed.filter(({ path }) => !mayBeClosed(path)).map(({ path }) => `does not expand ${path}`),
    ...[...(moments[0]?.keys() ?? [])]
      .filter(isLacking)
      .map((path) => `lacks ${path}, which was there and visible all the time`),
  ]
}

/** A port failed or the area moved; in a tree also if the registry reported any other change. */
const isExternalDue = ({ ask, calls, worlds }: Run): boolean => {
  const readings = calls
    .filter(({ location }) => location === undefined)
    .flatMap(({ moment }) => worlds[moment]?.accounts ?? [])
  const isTree = ask.operation.endsWith('Tree')
  const differences = new Set(
    readings.map((account) => (isTree ? JSON.stringify({ ...account, area: [] }) : locationOf(account))),
  )
  return differences.size > 1 || calls.some(({ isExternal }) => isExternal)
}

const judgeFailure = (run: Run, error: string): ReadonlyArray<string> => {
  const { ask, calls, worlds } = run
  if (error === 'external') return isExternalDue(run) ? [] : ['answers external without a reason']
  const lastRead = calls.filter(({ location }) => location !== undefined).at(-1)?.moment ?? 0
  const isDue = worlds.slice(lastRead).some((world) => isDeepStrictEqual(modelAnswer(world)(ask), { error }))
  return isDue ? [] : [`answers ${error}, which no new request gets`]
}

/** The violations of one run, each as the end of a sentence. */
export const judge = (run: Run): ReadonlyArray<string> => {
  const { ask, calls, worlds, answer } = run
  const [met = 0, ...others] = new Set(calls.map(({ moment }) => moment))
  if (others.length > 0)
    return 'error' in answer ? judgeFailure(run, answer.error) : judgeShown(run, shownBy(ask, answer))
  const expected = worlds[met] && modelAnswer(worlds[met])(ask)
  return isDeepStrictEqual(answer, expected)
    ? []
    : [`answers ${JSON.stringify(answer)}, not ${JSON.stringify(expected)}`]
}
