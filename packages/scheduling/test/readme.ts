import { singleFlight } from '@canopy/scheduling'

let reads = 0
const flight = singleFlight<number>()

/** Callers in the same tick share one read; a later caller gets a later read. */
export const read = (): Promise<number> =>
  flight('key', async () => {
    reads += 1
    return reads
  })
