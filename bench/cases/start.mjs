import { setTimeout as sleep } from 'node:timers/promises'
import { startCanopy } from '../canopy.mjs'
import { judged } from '../figures.mjs'
import { residentNow } from '../memory.mjs'
import { withServers } from '../processes.mjs'
import { writeAnswers } from '../references/answers.mjs'
import { startBareKoa } from '../references/nodeServers.mjs'
import { rounds } from '../rounds.mjs'

const settleMs = 3_000
const size = 10

/** Milliseconds from the start of the process to its first answer, and megabytes a few seconds later. */
const startOnce = async (start) => {
  const began = performance.now()
  return withServers([start], async ([{ pid }]) => {
    const ms = performance.now() - began
    await sleep(settleMs)
    return { ms, megabytes: residentNow(pid) }
  })
}

export const start = {
  name: 'start',
  title: 'Start and idle memory',
  run: async ({ world, directory, options }) => {
    const { data, listing } = await world()
    const path = listing(size)
    const answers = await withServers([() => startCanopy(data)], ([ours]) => writeAnswers(directory, ours.port, [path]))
    const subjects = [() => startCanopy(data, {}, path), () => startBareKoa(answers, path)]
    const [own, theirs] = await rounds(options.rounds, subjects, startOnce)
    const row = (what, unit, of, target) =>
      judged({ what, unit, ours: own.map(of), reference: { name: 'bare Koa', values: theirs.map(of) }, target })
    return [
      row('start of the process to the first answer', 'ms', ({ ms }) => ms, { atMost: 500 }),
      row('memory three seconds later (VmRSS)', 'MB', ({ megabytes }) => megabytes, { atMost: 100 }),
    ]
  },
}
