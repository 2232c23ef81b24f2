import { startCanopy } from '../canopy.mjs'
import { checkForeignListing, checkListing, checkSame } from '../checks.mjs'
import { compared } from '../figures.mjs'
import { count } from '../numbers.mjs'
import { progress, withServers } from '../processes.mjs'
import { writeAnswers } from '../references/answers.mjs'
import { startAutoindex } from '../references/nginx.mjs'
import { startBareKoa, startRawHttp } from '../references/nodeServers.mjs'
import { rounds } from '../rounds.mjs'
import { listingSizes } from '../world.mjs'

const uncached = '1,000 entries, not cached'
const [ruled, uncachedRuled] = ['1,000 entries, ten rules', `${uncached}, ten rules`]

/** The least ratios, by the name of a reference. */
const targets = {
  'bare Koa': { '10 entries': 1, '100 entries': 1, '1,000 entries': 1, '10,000 entries': 1 },
  'raw node:http': { '10,000 entries': 0.9 },
  nginx: { '10 entries': 0.7, '100 entries': 4, '1,000 entries': 20, [uncached]: 0.8 },
  'without rules': { [ruled]: 0.97, [uncachedRuled]: 0.9 },
}

/** Returns what to request from a server, after a check that the response is complete. */
const checked = async ({ name, port, listing }, ours, size) => {
  const path = name === 'nginx' ? `/e${size}/` : (listing ?? ours.listing)(size)
  const bytesAtLeast =
    name === 'nginx'
      ? await checkForeignListing(port, path, size)
      : port === ours.port
        ? await checkListing(port, path, size)
        : await checkSame(port, path, ours.port)
  return { port, path, bytesAtLeast }
}

export const listings = {
  name: 'listings',
  title: 'Listings',
  run: async ({ world, directory, load, options }) => {
    const { data, area, listing, ruledListing } = await world()
    const ourStarts = [() => startCanopy(data), () => startCanopy(data, { CANOPY_CACHE_BYTES: '0' })]
    return withServers(ourStarts, async (servers) => {
      const [ours, reading] = servers.map((server) => ({ ...server, listing }))
      const answers = await writeAnswers(directory, ours.port, listingSizes.map(listing))
      const starts = [() => startBareKoa(answers), () => startRawHttp(answers), () => startAutoindex(area)]
      return withServers(starts, async (references) => {
        const cases = listingSizes.map((size) => ({ what: `${count(size)} entries`, size }))
        const read = { own: reading, beside: references.slice(-1), size: 1_000 }
        // Concurrent requests share a read of the directory.
        cases.push({ ...read, what: uncached }, { ...read, what: `${uncached}, 1 connection`, connections: 1 })
        for (const [what, server] of [
          [ruled, ours],
          [uncachedRuled, reading],
        ]) {
          const beside = [{ ...server, name: 'without rules' }]
          cases.push({ what, size: 1_000, own: { ...server, listing: ruledListing }, beside })
        }
        const rows = []
        for (const { what, size, own = ours, beside = references, connections } of cases) {
          progress(what)
          const there = beside.filter(({ missing }) => missing === undefined)
          const subjects = []
          for (const server of [own, ...there]) subjects.push(await checked(server, own, size))
          const [figures, ...theirs] = await rounds(options.rounds, subjects, (subject) =>
            load({ ...subject, seconds: options.seconds, connections }),
          )
          for (const reference of beside) {
            const atLeast = targets[reference.name][what]
            const values = theirs[there.indexOf(reference)]
            const target = atLeast && { atLeast }
            rows.push(compared({ what, unit: '/s', ours: figures, reference: { ...reference, values }, target }))
          }
        }
        return rows
      })
    })
  },
}
