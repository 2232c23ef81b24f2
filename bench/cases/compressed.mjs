import { startCanopy } from '../canopy.mjs'
import { withServers } from '../processes.mjs'
import { startCaddy } from '../references/caddy.mjs'
import { startNginx } from '../references/nginx.mjs'
import { listingSizes } from '../world.mjs'
import { againstListers, listerTargets } from './againstListers.mjs'

/** What every browser says, and most programs. */
const headers = { 'Accept-Encoding': 'gzip' }

export const compressed = {
  name: 'compressed',
  title: 'Compressed listings',
  run: async (context) => {
    const { data, area, listing } = await context.world()
    const foreignly = { directory: context.directory, root: area, workers: 1 }
    const starts = [() => startCanopy(data), () => startNginx(foreignly), () => startCaddy(foreignly)]
    return withServers(starts, ([ours, ...references]) =>
      againstListers(context, { ours, references, listing, sizes: listingSizes, headers, targets: listerTargets }),
    )
  },
}
