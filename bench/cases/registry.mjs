import { mkdirSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { canopy, startCanopy } from '../canopy.mjs'
import { checkListing } from '../checks.mjs'
import { compared, median } from '../figures.mjs'
import { ask } from '../http.mjs'
import { count } from '../numbers.mjs'
import { plantFiles } from '../plant.mjs'
import { withServers } from '../processes.mjs'
import { progress } from '../progress.mjs'
import { fillRegistry, openChanger } from '../registryRows.mjs'
import { rounds } from '../rounds.mjs'

const least = 100
const sizesOf = ({ quick }) => [10_000, ...(quick ? [] : [1_000_000])]
const entries = 10

/** Above every account of the rows: the one of many settings, and the one that is changed. */
const settled = 20_000_000
const changed = 20_000_001

const byUser = (id) => `/api/usercontent/v1/diritems/id/${id}`
const byToken = (token) => `/api/storage/v1/diritems/${token}`

const plant = async (directory, rows) => {
  const data = join(directory, `registry-${rows}`)
  mkdirSync(data)
  const run = canopy(data)
  await run('account', 'create', '--id', String(settled), '--verified')
  await run('account', 'create', '--id', String(changed), '--verified')
  await run('visibility', 'set', String(settled), '/', 'public')
  await plantFiles(join(data, 'areas/shared'), entries)
  await plantFiles(join(data, `areas/${settled}`), entries)
  const tokens = fillRegistry(data, rows, settled)
  return { rows, data, paths: [...tokens].flatMap(([id, token]) => [byUser(id), byToken(token)]) }
}

/** Milliseconds of the first request after a change of the registry, one path after the other. */
const afterChange =
  (agent) =>
  async ({ port, data, paths, changes }) => {
    const changer = openChanger(data, changed)
    const times = []
    try {
      for (let change = 0; change < changes; change += 1) {
        changer.change()
        const { status, ms } = await ask(port, paths[change % paths.length], { agent })
        if (status !== 200) throw new Error(`status ${status} after a change of the registry`)
        times.push(ms)
      }
    } finally {
      changer.close()
    }
    return median(times)
  }

const rowsOf = (subjects, results, { what, unit, target }) =>
  subjects.slice(1).map(({ rows }, index) =>
    compared({
      what: `${what(count(rows))}`,
      unit,
      ours: results[index + 1],
      reference: { name: `with ${least}`, values: results[0] },
      target,
    }),
  )

const kinds = [
  {
    what: (rows) => `${rows} accounts, tokens and settings of others`,
    pathsOf: ({ paths }) => paths,
    changesOf: () => 50,
  },
  {
    what: (rows) => `${rows} settings in the same area`,
    pathsOf: () => [byUser(settled)],
    changesOf: (rows) => (rows > 100_000 ? 2 : 20),
  },
]

export const registry = {
  name: 'registry',
  title: 'Growth with the registry',
  run: async ({ directory, load, options }) => {
    const worlds = []
    for (const rows of [least, ...sizesOf(options)]) {
      progress(`a registry of ${count(rows)}`)
      worlds.push(await plant(directory, rows))
    }
    const agent = new Agent({ keepAlive: true })
    return withServers(
      worlds.map(
        ({ data }) =>
          () =>
            startCanopy(data),
      ),
      async (servers) => {
        const rows = []
        for (const { what, pathsOf, changesOf } of kinds) {
          const subjects = worlds.map((world, index) => ({
            ...world,
            port: servers[index].port,
            paths: pathsOf(world),
            changes: changesOf(world.rows),
          }))
          for (const { port, paths } of subjects) for (const path of paths) await checkListing(port, path, entries)
          progress(what('many'))
          const rates = await rounds(options.rounds, subjects, (subject) =>
            load({ ...subject, seconds: options.seconds }),
          )
          const firsts = await rounds(options.rounds, subjects, afterChange(agent))
          rows.push(
            ...rowsOf(subjects, rates, { what, unit: 'requests/s', target: { atLeast: 0.9 } }),
            ...rowsOf(subjects, firsts, {
              what: (many) => `${what(many)}: first request after a change`,
              unit: 'ms',
              target: { atMost: 1.1 },
            }),
          )
        }
        return rows
      },
    ).finally(() => agent.destroy())
  },
}
