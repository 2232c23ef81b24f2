import { checkForeignListing, checkListing, checkSame } from '../checks.mjs'
import { compared } from '../figures.mjs'
import { count } from '../numbers.mjs'
import { progress } from '../progress.mjs'
import { rounds } from '../rounds.mjs'

const foreign = {
  nginx: (size) => ({ path: `/e${size}/`, headers: {} }),
  Caddy: (size) => ({ path: `/e${size}/`, headers: { Accept: 'application/json' } }),
}

/** The least ratios, by size. */
export const listerTargets = {
  nginx: { 10: 0.7, 100: 4, 1000: 20 },
}

/** What a server is asked for, having seen that its answer is whole. */
const checked = async (server, size, path, ours, wanted) => {
  const theirs = foreign[server.name]?.(size)
  const target = { path: theirs?.path ?? path, headers: { ...theirs?.headers, ...wanted } }
  const bytes = await (theirs !== undefined
    ? checkForeignListing(server.port, target.path, target.headers, size)
    : server === ours
      ? checkListing(server.port, path, size, wanted)
      : checkSame(server.port, path, ours.port))
  return { port: server.port, paths: [target.path], headers: target.headers, bytesAtLeast: bytes }
}

/**
 * Requests per second of Canopy and of each reference for the same listings, asked for with the same headers. `targets`
 * are the least ratios, by the name of a reference and by size.
 */
export const againstListers = async (
  { load, options },
  { ours, references, listing, sizes, headers = {}, targets },
) => {
  const there = references.filter(({ missing }) => missing === undefined)
  const rows = []
  for (const size of sizes) {
    progress(`${count(size)} entries`)
    const subjects = []
    for (const server of [ours, ...there]) subjects.push(await checked(server, size, listing(size), ours, headers))
    const [own, ...theirs] = await rounds(options.rounds, subjects, (subject) =>
      load({ ...subject, seconds: options.seconds }),
    )
    const values = new Map(there.map((server, index) => [server, theirs[index]]))
    for (const reference of references) {
      const atLeast = targets[reference.name]?.[size]
      rows.push(
        compared({
          what: `${count(size)} entries`,
          unit: '/s',
          ours: own,
          reference: { ...reference, values: values.get(reference) },
          target: atLeast === undefined ? undefined : { atLeast },
        }),
      )
    }
  }
  return rows
}
