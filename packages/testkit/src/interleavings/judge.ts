import { isDeepStrictEqual } from 'node:util'
import { model, type NodeAsk } from '../model.js'
import type { Answer } from '../scenarios/Scenario.js'
import { rowsOf, type Scene, worldOf } from './stages.js'

export interface Run {
  readonly ask: NodeAsk
  readonly moments: readonly [Moment, ...ReadonlyArray<Moment>]
  readonly calls: ReadonlyArray<Call>
  readonly answer: Answer
}

/** An event after a number of calls, and the scene from then on. The first event is the request. */
interface Moment {
  readonly event: string
  readonly after: number
  readonly scene: Scene
}

/** Calls of the storage have a path; others read the registry. */
export interface Call {
  readonly port: string
  readonly path: string | undefined
  /** The index of the last moment before the call, and its scene. */
  readonly moment: number
  readonly scene: Scene
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

/** The violations of one run, each as the end of a sentence. Judges by the log and the model, never by the domain. */
export const judge = ({ ask, moments, calls, answer }: Run): ReadonlyArray<string> => {
  const expected = moments.map(({ scene }) => model(worldOf(scene), ask))
  const reads = calls.filter(({ path }) => path === undefined)
  const areaReads = reads.filter(({ port }) => port.startsWith('areaOf'))
  const isMoved = new Set(areaReads.map(({ scene }) => scene.location)).size > 1
  if ('error' in answer) {
    const isChanging = ask.operation.endsWith('Tree') && new Set(reads.map(({ scene }) => rowsOf(scene))).size > 1
    const lastPage = calls.filter(({ path }) => path !== undefined).at(-1)?.moment
    const isDue = expected.slice(lastPage).some((each) => isDeepStrictEqual(each, answer))
    return (answer.error === 'external' ? isMoved || isChanging : isDue)
      ? []
      : [`answers ${answer.error} without a reason`]
  }
  const shown = nodesOf(ask, answer)
  const models = expected.map((each) => nodesOf(ask, each))
  // Without the requested directory, its directories may be shown, but not expanded.
  const isGone = models.some(({ size }) => size === 0)
  const textOf = (text = ''): string => (isGone ? text.replace(',"content":[]', '') : text)
  const stale = [...shown].filter(([path, text]) => {
    const parent = path.slice(0, path.lastIndexOf('/')) || '/'
    const found = calls.find((call) => call.path === path || (call.port === 'list' && call.path === parent))
    const allowed = models.slice(found?.moment, (reads.at(-1)?.moment ?? 0) + 1)
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
