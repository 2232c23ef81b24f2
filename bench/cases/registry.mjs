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
import { rotated } from '../rounds.mjs'

const least = 100
const sizesOf = ({ quick }) => [10_000, ...(quick ? [] : [1_000_000])]
const entries = 10
const changes = 200

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
const afterChange = async (agent, { port, data, paths }) => {
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

const kinds = [
  { what: 'accounts of others', pathsOf: ({ paths }) => paths },
  { what: 'settings in the same area', pathsOf: () => [byUser(settled)] },
]

const compare = (worlds, results, { what, unit, target }) =>
  worlds.slice(1).map(({ rows }, index) =>
    compared({
      what: `${count(rows)} ${what}`,
      unit,
      ours: results[index + 1],
      reference: { name: `with ${least}`, values: results[0] },
      target,
    }),
  )

/**
 * Each round with processes of its own: as long as it lives, one of the same program is a fifth slower than another.
 * Gives requests per second and milliseconds, by kind and by world.
 */
const measureAll = async (worlds, load, options) => {
  const agent = new Agent({ keepAlive: true })
  const results = kinds.map(() => worlds.map(() => ({ rates: [], firsts: [] })))
  const starts = worlds.map((world) => () => startCanopy(world.data))
  for (let round = 0; round < options.rounds; round += 1)
    await withServers(starts, async (servers) => {
      for (const [kind, { what, pathsOf }] of kinds.entries()) {
        progress(`${what}, round ${round + 1} of ${options.rounds}`)
        const subjects = worlds.map((world, index) => ({
          data: world.data,
          port: servers[index].port,
          paths: pathsOf(world),
          ...results[kind][index],
        }))
        for (const { port, paths } of subjects) for (const path of paths) await checkListing(port, path, entries)
        const inTurns = rotated(subjects, round)
        for (const subject of inTurns) subject.rates.push(await load({ ...subject, seconds: options.seconds }))
        for (const subject of inTurns) subject.firsts.push(await afterChange(agent, subject))
      }
    })
  agent.destroy()
  return results
}

export const registry = {
  name: 'registry',
  title: 'Growth with the registry',
  run: async ({ directory, load, options }) => {
    const worlds = []
    for (const rows of [least, ...sizesOf(options)]) {
      progress(`a registry of ${count(rows)}`)
      worlds.push(await plant(directory, rows))
    }
    const results = await measureAll(worlds, load, options)
    return kinds.flatMap(({ what }, kind) => [
      ...compare(
        worlds,
        results[kind].map(({ rates }) => rates),
        { what, unit: '/s', target: { atLeast: 0.9 } },
      ),
      ...compare(
        worlds,
        results[kind].map(({ firsts }) => firsts),
        {
          what: `${what}, after a change`,
          unit: 'ms',
          target: { atMost: 1.1 },
        },
      ),
    ])
  },
}
