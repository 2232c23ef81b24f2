import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { canopy, createPublic, startCanopy } from '../canopy.mjs'
import { checkLines, checkTree } from '../checks.mjs'
import { compared, judged } from '../figures.mjs'
import { ask } from '../http.mjs'
import { openLoop } from '../load.mjs'
import { residentNow, residentPeak } from '../memory.mjs'
import { count } from '../numbers.mjs'
import { nodesIn, plantFiles, plantTree } from '../plant.mjs'
import { progress, timeOf, withServers } from '../processes.mjs'
import { rounds } from '../rounds.mjs'

const nodeWalkScript = fileURLToPath(new URL('../references/nodeWalk.mjs', import.meta.url))

const files = 99
const breadthsOf = ({ quick }) => [quick ? 10 : 100, 100]
const tree = '/api/usercontent/v1/tree/id/1'
const small = '/api/usercontent/v1/diritems/id/2'
const raised = { CANOPY_TREE_NODES: '2000000' }
const defaultBudget = 268_435_456 / 1e6
const smallPerSecond = 100

const plant = (breadths) => async (data) => {
  for (const id of ['1', '2']) await createPublic(canopy(data), id)
  await plantFiles(join(data, 'areas/2'), 10)
  await plantTree(join(data, 'areas/1'), breadths, files)
}

const asLines = { headers: { Accept: 'application/x-ndjson' } }
const unmatched = '?name=nothing*'

/** Milliseconds of the whole tree. The length is compared, since counting would take time of its own. */
const timeOfTree = async (port, length, options = {}, query = '') => {
  const { status, bytes, ms } = await ask(port, `${tree}${query}`, options)
  if (status !== 200 || bytes !== length) throw new Error(`${tree}: ${bytes} of ${length} bytes`)
  return ms
}

const coldTime = (data, variables, ...of) =>
  withServers([() => startCanopy(data, { ...raised, ...variables })], ([fresh]) => timeOfTree(fresh.port, ...of))

const besideNested = (what, ours, values, atMost) =>
  compared({ what, unit: 'ms', ours, reference: { name: 'nested tree', values }, target: { atMost } })

/** The tree as lines, and searched without a hit, beside the nested tree. */
const lineRows = ({ options }, data, nodes) =>
  withServers([() => startCanopy(data, { ...raised, CANOPY_CACHE_BYTES: String(2 ** 33) })], async ([warm]) => {
    const length = await checkTree(warm.port, tree, nodes)
    const lineLength = await checkLines(warm.port, tree, nodes)
    const endLength = '{"type":"end"}\n'.length
    const subjects = [
      () => coldTime(data, {}, length),
      () => coldTime(data, {}, lineLength, asLines),
      () => timeOfTree(warm.port, length),
      () => timeOfTree(warm.port, lineLength, asLines),
      () => timeOfTree(warm.port, endLength, asLines, unmatched),
    ]
    const [coldNested, coldLines, nested, lines, searched] = await rounds(options.rounds, subjects, (measure) =>
      measure(),
    )
    return [
      besideNested('the same as lines, nothing cached', coldLines, coldNested, 1.1),
      besideNested('the same as lines, cached', lines, nested, 1.3),
      besideNested('a name that no node has, cached', searched, nested, 1),
    ]
  })

const timeRows = async ({ options }, data, nodes) => {
  const area = join(data, 'areas/1')
  const find = () => timeOf('find', [area, '-printf', '%y %s %T@ %p\\n'])
  const nodeWalk = () => timeOf(process.execPath, [nodeWalkScript, area])
  return withServers([() => startCanopy(data, { ...raised, CANOPY_CACHE_BYTES: String(2 ** 33) })], async ([warm]) => {
    const length = await checkTree(warm.port, tree, nodes)
    const cached = async () => {
      // As for listings, a warm-up is not measured.
      await timeOfTree(warm.port, length)
      await timeOfTree(warm.port, length)
      return timeOfTree(warm.port, length)
    }
    const subjects = [
      () => coldTime(data, { CANOPY_CACHE_BYTES: '0' }, length),
      () => coldTime(data, {}, length),
      cached,
      find,
      nodeWalk,
    ]
    const [off, first, second, found, walked] = await rounds(options.rounds, subjects, (measure) => measure())
    const row = (what, ours, atMost) =>
      compared({ what, unit: 'ms', ours, reference: { name: 'find', values: found }, target: atMost && { atMost } })
    return [
      row(`tree of ${count(nodes)} nodes, without a cache`, off, 2),
      row(`tree of ${count(nodes)} nodes, nothing cached`, first, 2.5),
      row(`tree of ${count(nodes)} nodes, cached`, second, 0.33),
      row('a Node program that only looks at each entry', walked),
    ]
  })
}

/** Trees, one after the other, until the small requests beside them are over: their p99, and what memory it all took. */
const besideTrees = async (data, seconds) =>
  withServers([() => startCanopy(data, raised)], async ([{ port, pid }]) => {
    await sleep(2_000)
    const idle = residentNow(pid)
    const state = { over: false }
    const trees = async () => {
      do await ask(port, tree)
      while (!state.over)
    }
    const requests = async () => {
      const { p99 } = await openLoop({ port, path: small, perSecond: smallPerSecond, seconds })
      state.over = true
      return p99
    }
    const [p99] = await Promise.all([requests(), trees()])
    return { p99, megabytes: residentPeak(pid) - idle - defaultBudget }
  })

export const trees = {
  name: 'trees',
  title: 'Large trees',
  mostRounds: 5,
  run: async (context) => {
    const { options } = context
    const breadths = breadthsOf(options)
    const nodes = nodesIn(breadths, files)
    progress(`a tree of ${count(nodes)} nodes`)
    const data = await context.make('trees', plant(breadths))
    if (Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8')) < nodes / files)
      progress('fs.inotify.max_user_watches is too small to keep the whole tree')
    const rows = [...(await timeRows(context, data, nodes)), ...(await lineRows(context, data, nodes))]
    progress('small requests beside trees')
    const [beside] = await rounds(Math.min(3, options.rounds), [options.quick ? 3 : 10], (seconds) =>
      besideTrees(data, seconds),
    )
    return [
      ...rows,
      judged({
        what: 'p99 of small listings beside trees',
        unit: 'ms',
        ours: beside.map(({ p99 }) => p99),
        target: { atMost: 50 },
      }),
      judged({
        what: 'peak memory above idle and the cache',
        unit: 'MB',
        ours: beside.map(({ megabytes }) => megabytes),
        target: { atMost: 150 },
      }),
    ]
  },
}
