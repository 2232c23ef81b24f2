import { startCanopy } from '../canopy.mjs'
import { checkForeignListing, checkListing, checkSame } from '../checks.mjs'
import { compared } from '../figures.mjs'
import { count } from '../numbers.mjs'
import { withServers } from '../processes.mjs'
import { progress } from '../progress.mjs'
import { writeAnswers } from '../references/answers.mjs'
import { startCaddy } from '../references/caddy.mjs'
import { startNginx } from '../references/nginx.mjs'
import { startBareKoa, startRawHttp } from '../references/nodeServers.mjs'
import { rounds } from '../rounds.mjs'
import { listingSizes } from '../world.mjs'

const targets = {
  'bare Koa': { 10: 0.85, 100: 0.85, 1000: 0.85, 10000: 0.85 },
  nginx: { 10: 0.5, 100: 3, 1000: 20, 10000: 40 },
  Caddy: { 10: 1.5, 100: 10, 1000: 60, 10000: 500 },
}

const foreign = {
  nginx: (size) => ({ path: `/e${size}/`, headers: {} }),
  Caddy: (size) => ({ path: `/e${size}/`, headers: { Accept: 'application/json' } }),
}

/** What a server is asked for, having seen that its answer is whole. */
const checked = async (server, size, path, ours) => {
  const target = foreign[server.name]?.(size) ?? { path, headers: {} }
  const bytes = await (foreign[server.name] !== undefined
    ? checkForeignListing(server.port, target.path, target.headers, size)
    : server === ours
      ? checkListing(server.port, path, size)
      : checkSame(server.port, path, ours.port))
  return { port: server.port, paths: [target.path], headers: target.headers, bytesAtLeast: bytes }
}

export const listings = {
  name: 'listings',
  title: 'Listings',
  run: async ({ world, directory, load, options }) => {
    const { data, area, listing } = await world()
    const foreignly = { directory, root: area, workers: 1 }
    return withServers([() => startCanopy(data)], async ([ours]) => {
      const answers = await writeAnswers(directory, ours.port, listingSizes.map(listing))
      const starts = [
        () => startBareKoa(answers),
        () => startRawHttp(answers),
        () => startNginx(foreignly),
        () => startCaddy(foreignly),
      ]
      return withServers(starts, async (references) => {
        const there = references.filter(({ missing }) => missing === undefined)
        const rows = []
        for (const size of listingSizes) {
          progress(`${count(size)} entries`)
          const subjects = []
          for (const server of [ours, ...there]) subjects.push(await checked(server, size, listing(size), ours))
          const [own, ...theirs] = await rounds(options.rounds, subjects, (subject) =>
            load({ ...subject, seconds: options.seconds }),
          )
          const values = new Map(there.map((server, index) => [server, theirs[index]]))
          for (const reference of references) {
            const atLeast = targets[reference.name]?.[size]
            rows.push(
              compared({
                what: `${count(size)} entries`,
                unit: 'requests/s',
                ours: own,
                reference: { ...reference, values: values.get(reference) },
                target: atLeast === undefined ? undefined : { atLeast },
              }),
            )
          }
        }
        return rows
      })
    })
  },
}
