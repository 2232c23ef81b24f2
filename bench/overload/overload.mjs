// How the server behaves when more is asked of it than it can do: after a build,
//   node bench/overload/overload.mjs [ROUNDS] [SLOW CONNECTIONS]
//
// In each round the peak is measured first, with a few connections that ask as fast as they are answered; then requests
// arrive at a multiple of it, whether or not earlier ones were answered. Nothing is cached, so that each is real work.
// Figures are compared within a round; the median of the rounds counts. A second server, which only gives a small constant
// now and then, shows what the machine and this bench themselves take.
import { join } from 'node:path'
import { canopy, createPublic, startCanopy } from '../canopy.mjs'
import { connectionPool } from '../load/connectionPool.mjs'
import { closedLoop } from '../load/loads.mjs'
import { plantFiles } from '../plant.mjs'
import { withServers } from '../processes.mjs'
import { writeAnswers } from '../references/answers.mjs'
import { startRawHttp } from '../references/nodeServers.mjs'
import { openScratch } from '../scratch.mjs'
import { report } from './report.mjs'
import { roundOf } from './round.mjs'

const rounds = Number(process.argv[2] ?? 3)
const slow = Number(process.argv[3] ?? 2000)
const entries = 1000

const plant = async (data) => {
  await createPublic(canopy(data), '1')
  await plantFiles(join(data, 'areas/1/d'), entries)
}

const measure = async (data) => {
  await plant(data)
  const start = () => startCanopy(data, { CANOPY_CACHE_BYTES: '0', CANOPY_LOG: 'info' })
  return withServers([start], async ([{ port }]) => {
    const answers = await writeAnswers(data, port, ['/healthz'])
    return withServers([() => startRawHttp(answers)], async ([idle]) => {
      const { ask } = connectionPool(port, '/api/usercontent/v1/diritems/id/1/d')
      const { ask: askIdle } = connectionPool(idle.port, '/healthz')
      await closedLoop(ask, 16, 2000)
      const measured = []
      for (let round = 1; round <= rounds; round += 1) {
        measured.push(await roundOf({ port, ask, askIdle }, slow))
        console.error(`round ${round} of ${rounds}`)
      }
      return measured
    })
  })
}

const scratch = openScratch()
try {
  report(await measure(scratch.directory), slow)
} finally {
  scratch.remove()
}
process.exit()
