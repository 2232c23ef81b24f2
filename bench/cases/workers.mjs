import { startCanopy } from '../canopy.mjs'
import { checkListing } from '../checks.mjs'
import { compared } from '../figures.mjs'
import { count } from '../numbers.mjs'
import { withServers } from '../processes.mjs'
import { progress } from '../progress.mjs'
import { rounds } from '../rounds.mjs'

const sizes = [10, 1_000]

export const workers = {
  name: 'workers',
  title: 'Two processes',
  run: async ({ world, load, options }) => {
    const { data, listing } = await world()
    const starts = [() => startCanopy(data), () => startCanopy(data, { CANOPY_WORKERS: '2' })]
    return withServers(starts, async (servers) => {
      const rows = []
      for (const size of sizes) {
        progress(`${count(size)} entries`)
        const paths = [listing(size)]
        const subjects = []
        for (const { port } of servers)
          subjects.push({ port, paths, bytesAtLeast: await checkListing(port, paths[0], size) })
        const [one, two] = await rounds(options.rounds, subjects, (subject) =>
          load({ ...subject, seconds: options.seconds }),
        )
        rows.push(
          compared({
            what: `two processes, ${count(size)} entries`,
            unit: 'requests/s',
            ours: two,
            reference: { name: 'one process', values: one },
            target: { atLeast: 1.3 },
          }),
        )
      }
      return rows
    })
  },
}
