import { startCanopy } from '../canopy.mjs'
import { checkSame } from '../checks.mjs'
import { compared } from '../figures.mjs'
import { openLoop } from '../load.mjs'
import { count } from '../numbers.mjs'
import { withServers } from '../processes.mjs'
import { progress } from '../progress.mjs'
import { writeAnswers } from '../references/answers.mjs'
import { startBareKoa } from '../references/nodeServers.mjs'
import { rounds } from '../rounds.mjs'

const sizes = [10, 1_000]
const share = 0.7

const attempts = 3

/**
 * The peak of this moment, and right after it the 99th percentile at a share of it. Where requests could not even arrive
 * at that rate, something else wanted the processors: that is tried again, and is no figure.
 */
const p99Below =
  (load, { seconds }) =>
  async ({ port, path }) => {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const peak = await load({ port, paths: [path], seconds })
      const { p99, perSecond } = await openLoop({ port, path, perSecond: peak * share, seconds, spin: true })
      if (perSecond >= 0.97 * peak * share) return p99
      progress(
        `only ${count(Math.round(perSecond))} of ${count(Math.round(peak * share))} requests arrived in a second`,
      )
    }
    return undefined
  }

/** The rounds in which both were measured. */
const together = (own, theirs) => {
  const whole = [...own.keys()].filter((round) => own[round] !== undefined && theirs[round] !== undefined)
  if (whole.length < own.length / 2) throw new Error('the machine is too busy for requests at a fixed rate')
  return [own, theirs].map((ofServer) => whole.map((round) => ofServer[round]))
}

export const latency = {
  name: 'latency',
  title: 'Latency',
  run: async ({ world, directory, load, options }) => {
    const { data, listing } = await world()
    return withServers([() => startCanopy(data)], async ([ours]) => {
      const answers = await writeAnswers(directory, ours.port, sizes.map(listing))
      return withServers([() => startBareKoa(answers)], async ([bareKoa]) => {
        const rows = []
        for (const size of sizes) {
          const path = listing(size)
          progress(`${count(size)} entries`)
          await checkSame(ours.port, path, bareKoa.port)
          const subjects = [ours, bareKoa].map(({ port }) => ({ port, path }))
          const [own, theirs] = together(...(await rounds(options.rounds, subjects, p99Below(load, options))))
          rows.push(
            compared({
              what: `p99, ${count(size)} entries`,
              unit: 'ms',
              ours: own,
              reference: { name: bareKoa.name, values: theirs },
              target: { atMost: 3 },
            }),
          )
        }
        return rows
      })
    })
  },
}
