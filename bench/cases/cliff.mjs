import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@canopy/test-support'
import { canopy, createPublic, startCanopy } from '../canopy.mjs'
import { compared } from '../figures.mjs'
import { get, timeOfAnswer } from '../http.mjs'
import { names, plantFiles } from '../plant.mjs'
import { progress, withServers } from '../processes.mjs'
import { rounds } from '../rounds.mjs'

// 9,470 directories; 46,080 files, five in each directory of depth 8 to 10.
const breadths = [2, 2, 2, 2, 2, 2, 2, 8, 4, 1]
const filesFrom = 8
const files = 5

const tree = '/api/usercontent/v1/tree/id/1'
const unbounded = 2 ** 33
/** A quarter of `CANOPY_CACHE_BYTES` is for answers. */
const perListingByte = 4 / 3

const plantDeep = async (directory, [breadth, ...deeper], depth = 0) => {
  mkdirSync(directory, { recursive: true })
  if (depth >= filesFrom) await plantFiles(directory, files, () => 0)
  if (breadth === undefined) return
  for (const name of names(breadth, 'folder-', '')) await plantDeep(join(directory, name), deeper, depth + 1)
}

const plant = async (data) => {
  await createPublic(canopy(data), '1')
  await plantDeep(join(data, 'areas/1'), breadths)
}

const walk = ({ port }) => timeOfAnswer(port, tree)

/** Two walks, and a moment in which the last listings are cached. */
const warm = async (server) => {
  for (let walks = 0; walks < 2; walks += 1) {
    await walk(server)
    await sleep(500)
  }
}

const withBudget = (data, bytes) => async () => {
  const server = await startCanopy(data, { CANOPY_CACHE_BYTES: String(Math.round(bytes)) })
  await warm(server)
  return server
}

/** The bytes that the listings of the whole area take in the cache. */
const neededBytes = async (data) => {
  const metricsPort = await freePort()
  const variables = { CANOPY_CACHE_BYTES: String(unbounded), CANOPY_METRICS_PORT: String(metricsPort) }
  return withServers([() => startCanopy(data, variables)], async ([server]) => {
    await warm(server)
    const { body } = await get(metricsPort, '/metrics')
    return Number(/^canopy_listing_cache_bytes (\d+)$/m.exec(body.toString())?.[1])
  })
}

export const cliff = {
  name: 'cliff',
  title: 'An area that almost fits into the cache',
  mostRounds: 5,
  run: async ({ options, make }) => {
    const data = await make('cliff', plant)
    const needed = await neededBytes(data)
    progress(`the area needs ${needed} bytes of listings`)
    const budgets = [
      { of: 0.9, target: { atMost: 4 } },
      { of: 1, target: { atMost: 1.5 } },
      { of: 1.1, target: { atMost: 1.2 } },
    ]
    const starts = [unbounded, ...budgets.map(({ of }) => of * needed * perListingByte)]
    return withServers(
      starts.map((bytes) => withBudget(data, bytes)),
      async (servers) => {
        const [fits, ...others] = await rounds(options.rounds, servers, walk)
        return budgets.map(({ of, target }, at) =>
          compared({
            what: `a cache of ${of} of what it takes`,
            unit: 'ms',
            ours: others[at],
            reference: { name: 'all of it fits', values: fits },
            target,
          }),
        )
      },
    )
  },
}
