import { readdirSync, readlinkSync } from 'node:fs'

/** What of a directory and below it this process holds open. */
export const openIn = (directory: string): ReadonlyArray<string> =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`)
      return path.startsWith(directory) ? [path] : []
    } catch {
      return []
    }
  })
