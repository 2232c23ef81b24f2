import { isDeepStrictEqual } from 'node:util'
import { model, type NodeAsk } from '../model.js'
import type { Answer } from '../scenarios/Scenario.js'
import { type Scene, worldOf } from './stages.js'

/** One request: its calls, and the moments from its beginning on. */
export interface Run {
  readonly ask: NodeAsk
  readonly moments: readonly [Moment, ...ReadonlyArray<Moment>]
  readonly calls: ReadonlyArray<Call>
  readonly answer: Answer
}

/** What happens, after how many calls, and the scene from then on. */
export interface Moment {
  readonly event: string
  readonly after: number
  readonly scene: Scene
}

/** A call of the storage has a path; any other is a reading of the registry. `moment` is the index of its moment. */
export interface Call {
  readonly port: string
  readonly path: string | undefined
  readonly moment: number
}

interface Node {
  readonly name?: string
  readonly content?: ReadonlyArray<Node>
}

const entriesOf = (path: string, { content, ...node }: Node): ReadonlyArray<readonly [path: string, text: string]> => [
  [path, JSON.stringify({ ...node, content: content && [] })],
  ...(content ?? []).flatMap((child) => entriesOf(`${path === '/' ? '' : path}/${child.name}`, child)),
]

/** The nodes of an answer by path, each as JSON without its children. A failure has none. */
const nodesOf = (ask: NodeAsk, answer: Answer): ReadonlyMap<string, string> => {
  if ('error' in answer) return new Map()
  const { type, content } = JSON.parse(answer.body)
  return new Map(entriesOf(ask.path.replace(/\/$/, '') || '/', type === 'tree' ? content : { content }))
}

/** The violations of one run, each as the end of a sentence. Knows the log and the model, never the domain. */
export const judge = ({ ask, moments, calls, answer }: Run): ReadonlyArray<string> => {
  const expected = moments.map(({ scene }) => model(worldOf(scene), ask))
  const scenesOf = (some: ReadonlyArray<Call>) => some.flatMap(({ moment }) => moments[moment]?.scene ?? [])
  const areas = scenesOf(calls.filter(({ port }) => port.startsWith('areaOf'))).map(({ location }) => location)
  const isMoved = new Set(areas).size > 1
  const readings = calls.filter(({ path }) => path === undefined)
  if ('error' in answer) {
    const rows = new Set(scenesOf(readings).map((scene) => JSON.stringify({ ...scene, paths: [] })))
    const isUnstable = isMoved || (ask.operation.endsWith('Tree') && rows.size > 1)
    const lastPage = calls.filter(({ path }) => path !== undefined).at(-1)?.moment
    const isDue = expected.slice(lastPage).some((each) => isDeepStrictEqual(each, answer))
    return (answer.error === 'external' ? isUnstable : isDue) ? [] : [`answers ${answer.error} without a reason`]
  }
  const shown = nodesOf(ask, answer)
  const models = expected.map((each) => nodesOf(ask, each))
  // If the requested directory is gone, a directory in it that is not found may exist: it is not expanded.
  const isGone = models.some(({ size }) => size === 0)
  const textOf = (text = ''): string => (isGone ? text.replace(',"content":[]', '') : text)
  const stale = [...shown].filter(([path, text]) => {
    const parent = path.slice(0, path.lastIndexOf('/')) || '/'
    const found = calls.find((call) => call.path === path || (call.port === 'list' && call.path === parent))
    const allowed = models.slice(found?.moment, (readings.at(-1)?.moment ?? 0) + 1)
    return !allowed.some((nodes) => textOf(nodes.get(path)) === textOf(text))
  })
  const lacking = [...(models[0]?.keys() ?? [])].filter(
    (path) => !shown.has(path) && models.every((nodes) => nodes.has(path)),
  )
  return [
    ...(isMoved ? ['continues although the area was moved'] : []),
    ...stale.map(([path]) => `shows ${path}, which was not visible after the storage was asked for it`),
    ...lacking.map((path) => `lacks ${path}, which was visible all the time`),
  ]
}
