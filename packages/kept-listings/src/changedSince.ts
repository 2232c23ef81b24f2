import type { Listing } from '@canopy/domain'
import { someDirectory } from './someDirectory.js'

/** Some file systems tell only every other second. */
const coarsestSeconds = 2

/**
 * Whether something in a directory of this listing was made, removed or renamed after a moment (in milliseconds since
 * 1970): only the time of that directory tells, no notice does.
 */
export const changedSince = ({ entries }: Listing.Listing, milliseconds: number): Promise<boolean> => {
  const since = BigInt(Math.floor(milliseconds / 1000) - coarsestSeconds)
  return someDirectory(entries, ({ last_modified }) => last_modified >= since)
}
