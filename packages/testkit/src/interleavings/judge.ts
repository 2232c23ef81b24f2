import { isDeepStrictEqual } from 'node:util'
import type { NodeAsk } from '../model.js'
import { type Answer, isLines, type Shown } from '../scenarios/Scenario.js'
import { rowsOf, type SmallWorld } from './cases.js'

export interface Run {
  readonly ask: NodeAsk
  readonly moments: readonly [Moment, ...ReadonlyArray<Moment>]
  readonly calls: ReadonlyArray<Call>
  readonly answer: Answer
  readonly expectedAnswers: ReadonlyArray<Answer>
}

/** An event that happens after `afterCalls` port calls, and the world from then on. The first event is the request. */
interface Moment {
  readonly event: string
  readonly afterCalls: number
  readonly world: SmallWorld
}

/** Calls of the storage have a path; others read the registry. */
export interface Call {
  readonly port: string
  readonly path: string | undefined
  /** The index of the last moment before the call, and its world. */
  readonly moment: number
  readonly world: SmallWorld
}

const entriesOf = (path: string, { content, ...node }: Partial<Shown>): ReadonlyArray<readonly [string, string]> => [
  [path, JSON.stringify({ ...node, content: content && [] })],
  ...(content ?? []).flatMap((child) => entriesOf(`${path === '/' ? '' : path}/${child.name}`, child)),
]

/** Returns the nodes of an answer by path, each as JSON without its children. A failure has none. */
const nodesOf = (ask: NodeAsk, answer: Answer): ReadonlyMap<string, string> => {
  if ('error' in answer) return new Map()
  if (isLines(ask)) {
    const lines = answer.body.trimEnd().split('\n').slice(0, -1)
    return new Map(lines.map((line) => [JSON.parse(line).path, line]))
  }
  const { type, content } = JSON.parse(answer.body)
  return new Map(entriesOf(ask.path.replace(/\/$/, '') || '/', type === 'tree' ? content : { content }))
}

/** Returns the violations of one run, each as the end of a sentence. Judges by the log and the model, never by the domain. */
export const judge = ({ ask, calls, answer, expectedAnswers: expected }: Run): ReadonlyArray<string> => {
  const registryReads = calls.filter(({ path }) => path === undefined)
  const areaReads = registryReads.filter(({ port }) => port.startsWith('areaOf'))
  const areaMoved = new Set(areaReads.map(({ world }) => world.location)).size > 1
  if ('error' in answer) {
    const isChanging =
      ask.operation.endsWith('Tree') && new Set(registryReads.map(({ world }) => rowsOf(world))).size > 1
    const lastPage = calls.filter(({ path }) => path !== undefined).at(-1)?.moment
    const isExpected = expected.slice(lastPage).some((each) => isDeepStrictEqual(each, answer))
    // Lines are cut where their directory goes away between two of its pages.
    const isGone = isLines(ask) && expected.some((each) => 'error' in each && each.error === 'file not found')
    return (answer.error === 'external' ? areaMoved || isChanging || isGone : isExpected)
      ? []
      : [`answers ${answer.error} for no reason`]
  }
  const shown = nodesOf(ask, answer)
  const expectedNodes = expected.map((each) => nodesOf(ask, each))
  // Without the requested directory, its directories may be shown, but not expanded.
  const isGone = expectedNodes.some(({ size }) => size === 0)
  const textOf = (text = ''): string => (isGone ? text.replace(/,"content":\[\]|,"expanded":false/, '') : text)
  const stale = [...shown].filter(([path, text]) => {
    const parent = path.slice(0, path.lastIndexOf('/')) || '/'
    const sourceCall = calls.find((call) => call.path === path || (call.port === 'list' && call.path === parent))
    const allowed = expectedNodes.slice(sourceCall?.moment, (registryReads.at(-1)?.moment ?? 0) + 1)
    return !allowed.some((nodes) => textOf(nodes.get(path)) === textOf(text))
  })
  const missing = [...(expectedNodes[0]?.keys() ?? [])].filter(
    (path) => !shown.has(path) && expectedNodes.every((nodes) => nodes.has(path)),
  )
  return [
    ...(areaMoved ? ['continues although the area was moved'] : []),
    ...stale.map(([path]) => `shows ${path}, which was not visible after the storage was asked for it`),
    ...missing.map((path) => `lacks ${path}, which was visible all the time`),
  ]
}
