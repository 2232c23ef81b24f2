import { startCanopy } from '../canopy.mjs'
import { checkListing } from '../checks.mjs'
import { compared } from '../figures.mjs'
import { count } from '../numbers.mjs'
import { withServers } from '../processes.mjs'
import { progress } from '../progress.mjs'
import { writeAnswers } from '../references/answers.mjs'
import { startRawHttp } from '../references/nodeServers.mjs'
import { rounds } from '../rounds.mjs'

const sizes = [10, 1_000]

export const workers = {
  name: 'workers',
  title: 'Two processes',
  run: async ({ world, directory, load, options }) => {
    const { data, listing } = await world()
    const ours = [() => startCanopy(data), () => startCanopy(data, { CANOPY_WORKERS: '2' })]
    return withServers(ours, async ([one, two]) => {
      const answers = await writeAnswers(directory, one.port, sizes.map(listing))
      const raw = [() => startRawHttp(answers), () => startRawHttp(answers, { processes: 2 })]
      return withServers(raw, async ([rawOne, rawTwo]) => {
        const rows = []
        for (const size of sizes) {
          progress(`${count(size)} entries`)
          const paths = [listing(size)]
          const subjects = []
          for (const { port } of [one, two, rawOne, rawTwo])
            subjects.push({ port, paths, bytesAtLeast: await checkListing(port, paths[0], size) })
          const [single, double, rawSingle, rawDouble] = await rounds(options.rounds, subjects, (subject) =>
            load({ ...subject, seconds: options.seconds }),
          )
          const row = (what, ours, values, target) =>
            compared({
              what: `${what}, ${count(size)} entries`,
              unit: '/s',
              ours,
              reference: { name: 'one process', values },
              target,
            })
          rows.push(
            row('two processes', double, single, { atLeast: 1.3 }),
            row('two processes of raw node:http', rawDouble, rawSingle),
          )
        }
        return rows
      })
    })
  },
}
