import { isDeepStrictEqual } from 'node:util'
import { model, type NodeAsk } from '../model.js'
import type { Answer } from '../scenarios/Scenario.js'
import { type Scene, worldOf } from './stages.js'

/** The log of one request. */
export interface Run {
  readonly ask: NodeAsk
  readonly moments: readonly [Moment, ...ReadonlyArray<Moment>]
  readonly calls: ReadonlyArray<Call>
  readonly answer: Answer
}

/** The beginning, or the scene that a change made after so many calls. */
export interface Moment {
  readonly scene: Scene
  readonly change: string
  readonly after: number
}

/** A call of the storage if it has a path, otherwise a reading of the registry. `moment` is the index of its moment. */
export interface Call {
  readonly port: string
  readonly path: string | undefined
  readonly moment: number
}

interface Node {
  readonly name?: string
  readonly content?: ReadonlyArray<Node>
}

/** The nodes of an answer by path, each as JSON without its children. A failure has none. */
const nodesOf = (ask: NodeAsk, answer: Answer): ReadonlyMap<string, string> => {
  const nodes = new Map<string, string>()
  const collect = (path: string, { content, ...node }: Node): void => {
    nodes.set(path, JSON.stringify({ ...node, content: content && [] }))
    for (const child of content ?? []) collect(`${path === '/' ? '' : path}/${child.name}`, child)
  }
  if ('error' in answer) return nodes
  const { type, content } = JSON.parse(answer.body)
  collect(ask.path.replace(/\/$/, '') || '/', type === 'tree' ? content : { content })
  return nodes
}

const judgeNodes = ({ ask, calls, answer }: Run, expected: ReadonlyArray<Answer>): ReadonlyArray<string> => {
  const shown = nodesOf(ask, answer)
  const models = expected.map((each) => nodesOf(ask, each))
  // A directory that is not found is not expanded if the requested node may be gone too.
  const canBeClosed = models.some(({ size }) => size === 0)
  const textOf = (text = ''): string => (canBeClosed ? text.replace(',"content":[]', '') : text)
  const lastReading = calls.filter(({ path }) => path === undefined).at(-1)?.moment ?? 0
  // Visible after the storage was asked for it, as far as the registry was read.
  const isFresh = ([path, text]: readonly [string, string]): boolean => {
    const parent = path.slice(0, path.lastIndexOf('/')) || '/'
    const found = calls.find((call) => call.path === path || (call.port === 'list' && call.path === parent))
    return models.slice(found?.moment, lastReading + 1).some((nodes) => textOf(nodes.get(path)) === textOf(text))
  }
  const stale = [...shown].filter((node) => !isFresh(node))
  const lacking = [...(models[0]?.keys() ?? [])].filter(
    (path) => !shown.has(path) && models.every((nodes) => nodes.has(path)),
  )
  return [
    ...stale.map(([path, text]) => `shows ${path} as ${text}, which was not visible after the storage was asked`),
    ...lacking.map((path) => `lacks ${path}, which was visible all the time`),
  ]
}

/** The violations of one run, each as the end of a sentence. Knows the log of calls and the model, never the domain. */
export const judge = (run: Run): ReadonlyArray<string> => {
  const { ask, moments, calls, answer } = run
  const expected = moments.map(({ scene }) => model(worldOf(scene), ask))
  if (moments.length === 1)
    return isDeepStrictEqual(answer, expected[0]) ? [] : [`answers ${JSON.stringify(answer)} without a change`]
  const scenesOf = (some: ReadonlyArray<Call>) => some.flatMap(({ moment }) => moments[moment]?.scene ?? [])
  const areas = scenesOf(calls.filter(({ port }) => port.startsWith('areaOf'))).map(({ location }) => location)
  const isMoved = new Set(areas).size > 1
  if (!('error' in answer)) return isMoved ? ['shows an area that was moved'] : judgeNodes(run, expected)
  const { error } = answer
  if (error === 'external') {
    const readings = scenesOf(calls.filter(({ path }) => path === undefined))
    const rows = new Set(readings.map((scene) => JSON.stringify({ ...scene, paths: [] })))
    const isDue = isMoved || (ask.operation.endsWith('Tree') && rows.size > 1)
    return isDue ? [] : ['answers external without a reason']
  }
  const lastPage = calls.filter(({ path }) => path !== undefined).at(-1)?.moment
  const isDue = expected.slice(lastPage).some((each) => isDeepStrictEqual(each, answer))
  return isDue ? [] : [`answers ${error}, which no new request gets`]
}
