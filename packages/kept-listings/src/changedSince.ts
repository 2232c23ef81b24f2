import { Entries, type Listing } from '@canopy/domain'

/** Some file systems tell only every other second. */
const coarsestSeconds = 2

/**
 * Whether something in a directory of this listing was made, removed or renamed after a moment (in milliseconds since
 * 1970): only the time of that directory tells, no notice does.
 */
export const changedSince =
  (milliseconds: number) =>
  ({ entries }: Listing.Listing): boolean => {
    const since = BigInt(Math.floor(milliseconds / 1000) - coarsestSeconds)
    for (const [, { last_modified }] of Entries.directories(entries)) if (last_modified >= since) return true
    return false
  }
