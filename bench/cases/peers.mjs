import { startCanopy } from '../canopy.mjs'
import { checkForeignListing, checkListing } from '../checks.mjs'
import { compared } from '../figures.mjs'
import { residentPeak } from '../memory.mjs'
import { count } from '../numbers.mjs'
import { progress, withServers } from '../processes.mjs'
import { peersOf } from '../references/peers.mjs'
import { rounds } from '../rounds.mjs'

const sizes = [1_000, 10_000]

/** Listings as JSON by programs that people would use instead, and the memory that each took for all of them. */
export const peers = {
  name: 'peers',
  title: 'Listings beside other programs',
  run: async ({ world, directory, load, options }) => {
    const { data, area, listing } = await world()
    return withServers([() => startCanopy(data), ...peersOf(area, directory)], async ([ours, ...others]) => {
      const there = others.filter(({ missing }) => missing === undefined)
      const rows = []
      const add = (what, unit, own, valuesOf) =>
        others.forEach((other) => {
          rows.push(compared({ what, unit, ours: own, reference: { ...other, values: valuesOf(other) } }))
        })
      for (const size of sizes) {
        const what = `${count(size)} entries`
        progress(what)
        const own = { port: ours.port, path: listing(size) }
        const subjects = [{ ...own, bytesAtLeast: await checkListing(own.port, own.path, size) }]
        for (const { port, headers, itemsIn, pathOf } of there) {
          const path = pathOf(size)
          const bytesAtLeast = await checkForeignListing(port, path, size, { headers, itemsIn })
          subjects.push({ port, path, headers, bytesAtLeast })
        }
        const [figures, ...theirs] = await rounds(options.rounds, subjects, (subject) =>
          load({ ...subject, seconds: options.seconds }),
        )
        add(what, '/s', figures, (other) => theirs[there.indexOf(other)])
      }
      add('most memory (VmHWM)', 'MB', [residentPeak(ours.pid)], ({ pid }) =>
        pid === undefined ? undefined : [residentPeak(pid)],
      )
      return rows
    })
  },
}
