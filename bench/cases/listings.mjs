import { startCanopy } from '../canopy.mjs'
import { withServers } from '../processes.mjs'
import { writeAnswers } from '../references/answers.mjs'
import { startCaddy } from '../references/caddy.mjs'
import { startNginx } from '../references/nginx.mjs'
import { startBareKoa, startRawHttp } from '../references/nodeServers.mjs'
import { listingSizes } from '../world.mjs'
import { againstListers, listerTargets } from './againstListers.mjs'

const targets = {
  ...listerTargets,
  'bare Koa': { 10: 1, 100: 1, 1000: 1, 10000: 1 },
  'raw node:http': { 10000: 0.9 },
}

export const listings = {
  name: 'listings',
  title: 'Listings',
  run: async (context) => {
    const { world, directory } = context
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
      return withServers(starts, (references) =>
        againstListers(context, { ours, references, listing, sizes: listingSizes, targets }),
      )
    })
  },
}
