import { startCanopy } from '../canopy.mjs'
import { withServers } from '../processes.mjs'
import { writeAnswers } from '../references/answers.mjs'
import { startCaddy } from '../references/caddy.mjs'
import { startNginx } from '../references/nginx.mjs'
import { startBareKoa, startRawHttp } from '../references/nodeServers.mjs'
import { listingSizes } from '../world.mjs'
import { againstListers, listerTargets } from './againstListers.mjs'

const targets = { ...listerTargets, 'bare Koa': { 10: 0.85, 100: 0.85, 1000: 0.85, 10000: 0.85 } }

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
