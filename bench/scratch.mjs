import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const tmpfs = 0x01021994

/** A directory in memory is no disk. */
const onDisk = (directory) => statfsSync(directory).type !== tmpfs

/** Where a run has its things. */
export const openScratch = () => {
  const place = [tmpdir(), '/var/tmp'].find((each) => existsSync(each) && onDisk(each)) ?? tmpdir()
  const directory = mkdtempSync(join(place, 'canopy-bench-'))
  return {
    directory,
    isOnDisk: onDisk(place),
    make: async (name, make) => {
      const path = join(directory, name)
      mkdirSync(path)
      await make(path)
      return path
    },
    remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }),
  }
}
