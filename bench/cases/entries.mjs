import { Agent } from 'node:http'
import { join } from 'node:path'
import { canopy, startCanopy } from '../canopy.mjs'
import { checkListing, checkSame } from '../checks.mjs'
import { compared, judged, median } from '../figures.mjs'
import { ask } from '../http.mjs'
import { count } from '../numbers.mjs'
import { plantFiles } from '../plant.mjs'
import { withServers } from '../processes.mjs'
import { processorTimeOf, processorTimeOfCommand } from '../processorTime.mjs'
import { progress } from '../progress.mjs'
import { writeAnswers } from '../references/answers.mjs'
import { startBareKoa } from '../references/nodeServers.mjs'
import { rounds } from '../rounds.mjs'

const fixed = 10
const largest = ({ quick }) => (quick ? 100_000 : 1_000_000)
const sizesOf = (options) => [1_000, 10_000, 100_000, 1_000_000].filter((size) => size <= largest(options))

const pathOf = (size) => `/api/usercontent/v1/diritems/id/1/e${size}`

const plant = (sizes) => async (data) => {
  const run = canopy(data)
  await run('account', 'create', '--id', '1', '--verified')
  await run('visibility', 'set', '1', '/', 'public')
  for (const size of [fixed, ...sizes]) await plantFiles(join(data, `areas/1/e${size}`), size)
}

/**
 * How often a listing of so many entries is measured in a round: about as many entries for each size, and enough for a
 * second or so, since the kernel counts in hundredths.
 */
const timesFor = (size, { entries: inAll, most }) => Math.max(1, Math.min(most, Math.round(inAll / size)))

const amounts = ({ quick }) => ({
  kept: quick ? { entries: 2_000_000, most: 2_000 } : { entries: 20_000_000, most: 20_000 },
  read: quick ? { entries: 100_000, most: 2_000 } : { entries: 400_000, most: 20_000 },
  find: quick ? { entries: 100_000, most: 50 } : { entries: 400_000, most: 300 },
})

/** Milliseconds of processor time that a server takes for one listing. */
const serverTime =
  ({ port, pid }, agent, amount) =>
  async (size) => {
    const times = timesFor(size, amount)
    const before = processorTimeOf(pid)
    for (let asked = 0; asked < times; asked += 1) {
      const { status } = await ask(port, pathOf(size), { agent })
      if (status !== 200) throw new Error(`${pathOf(size)}: status ${status}`)
    }
    return (processorTimeOf(pid) - before) / times
  }

const findTime = (data, amount) => (size) => {
  const parameters = [join(data, `areas/1/e${size}`), '-printf', '%y %s %T@ %p\\n']
  return processorTimeOfCommand('find', parameters, timesFor(size, amount))
}

/** Nanoseconds for each entry, by size and round: what a listing takes more than one of ten entries, evenly spread. */
const perEntry = async (options, sizes, time) => {
  // Until code that runs for every request has been compiled, small listings would seem dear.
  for (const size of [fixed, sizes[0]]) await time(size)
  const [base, ...times] = await rounds(options.rounds, [fixed, ...sizes], time)
  return times.map((ofSize, index) => ofSize.map((ms, round) => ((ms - base[round]) * 1e6) / (sizes[index] - fixed)))
}

const perEntryOf = async (server, options, sizes, amount) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    return await perEntry(options, sizes, serverTime(server, agent, amount))
  } finally {
    agent.destroy()
  }
}

/** By how much an entry costs more at any size than at any smaller one, in percent. */
const growth = (costs) => {
  const ofSizes = costs.map(median)
  return Math.max(...ofSizes.map((cost, at) => cost / Math.min(...ofSizes.slice(0, at + 1)) - 1)) * 100
}

const rowsOf = (title, sizes, costs, name, theirs) => [
  ...sizes.map((size, index) =>
    compared({
      what: `${title}, ${count(size)} entries`,
      unit: 'ns',
      ours: costs[index],
      reference: { name, values: theirs[index] },
    }),
  ),
  judged({
    what: `${title}: growth`,
    unit: '%',
    ours: [growth(costs)],
    reference: { name, values: [growth(theirs)] },
    target: { atMost: 20 },
  }),
]

const kept = async ({ directory, options }, data, sizes) =>
  withServers([() => startCanopy(data, { CANOPY_CACHE_BYTES: String(2 ** 33) })], async ([ours]) => {
    for (const size of sizes) await checkListing(ours.port, pathOf(size), size)
    const answers = await writeAnswers(directory, ours.port, [fixed, ...sizes].map(pathOf))
    return withServers([() => startBareKoa(answers)], async ([bareKoa]) => {
      for (const size of sizes) await checkSame(ours.port, pathOf(size), bareKoa.port)
      progress('cached')
      const own = await perEntryOf(ours, options, sizes, amounts(options).kept)
      const theirs = await perEntryOf(bareKoa, options, sizes, amounts(options).kept)
      return rowsOf('cached', sizes, own, bareKoa.name, theirs)
    })
  })

const readAnew = async ({ options }, data, sizes) =>
  withServers([() => startCanopy(data, { CANOPY_CACHE_BYTES: '0' })], async ([ours]) => {
    progress('not cached')
    const own = await perEntryOf(ours, options, sizes, amounts(options).read)
    const theirs = await perEntry(options, sizes, findTime(data, amounts(options).find))
    return rowsOf('not cached', sizes, own, 'find', theirs)
  })

export const entries = {
  name: 'entries',
  title: 'Growth with the directory',
  mostRounds: 5,
  run: async (context) => {
    const sizes = sizesOf(context.options)
    progress(`directories of up to ${count(largest(context.options))} files`)
    const data = await context.large(`entries-${largest(context.options)}`, plant(sizes))
    return [...(await kept(context, data, sizes)), ...(await readAnew(context, data, sizes))]
  },
}
