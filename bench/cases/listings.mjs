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

/** The least ratios, by the name of a reference and by size. */
const targets = {
  'bare Koa': { 10: 1, 100: 1, 1000: 1, 10000: 1 },
  'raw node:http': { 10000: 0.9 },
  nginx: { 10: 0.7, 100: 4, 1000: 20 },
}

/** What a server is asked for, having seen that its answer is whole. */
const checked = async ({ name, port }, ours, size, listing) => {
  const path = name === 'nginx' ? `/e${size}/` : listing(size)
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
    const { data, area, listing } = await world()
    return withServers([() => startCanopy(data)], async ([ours]) => {
      const answers = await writeAnswers(directory, ours.port, listingSizes.map(listing))
      const starts = [() => startBareKoa(answers), () => startRawHttp(answers), () => startAutoindex(area)]
      return withServers(starts, async (references) => {
        const there = references.filter((reference) => reference.missing === undefined)
        const rows = []
        for (const size of listingSizes) {
          const what = `${count(size)} entries`
          progress(what)
          const subjects = []
          for (const server of [ours, ...there]) subjects.push(await checked(server, ours, size, listing))
          const [own, ...theirs] = await rounds(options.rounds, subjects, (subject) =>
            load({ ...subject, seconds: options.seconds }),
          )
          for (const reference of references) {
            const atLeast = targets[reference.name][size]
            const values = theirs[there.indexOf(reference)]
            const target = atLeast && { atLeast }
            rows.push(compared({ what, unit: '/s', ours: own, reference: { ...reference, values }, target }))
          }
        }
        return rows
      })
    })
  },
}
