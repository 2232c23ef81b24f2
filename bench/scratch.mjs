import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

const tmpfs = 0x01021994

/** A directory in memory is no disk. */
const onDisk = (directory) => statfsSync(directory).type !== tmpfs

const placeFor = (asked) =>
  asked ?? [tmpdir(), '/var/tmp'].find((place) => existsSync(place) && onDisk(place)) ?? tmpdir()

/** Shared places may hold a directory of this name that is somebody else's. */
const ownDirectory = (path) => {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const { uid } = lstatSync(path)
  if (lstatSync(path).isSymbolicLink() || uid !== userInfo().uid) throw new Error(`${path} is not ours`)
  chmodSync(path, 0o700)
  return path
}

/** Where a run keeps its things: `directory` for this run, `large` for what takes long to make and may be kept. */
export const openScratch = ({ data, keep }) => {
  const place = placeFor(data)
  const directory = mkdtempSync(join(place, 'canopy-bench-'))
  const cache = join(place, `canopy-bench-large-${userInfo().uid}`)
  const used = []
  return {
    directory,
    isOnDisk: onDisk(place),
    /** Makes a directory once. A run that was broken off leaves no mark of completion, and the next begins anew. */
    large: async (name, make) => {
      const path = join(ownDirectory(cache), name)
      const complete = `${path}.complete`
      used.push(path, complete)
      if (existsSync(complete)) return path
      rmSync(path, { recursive: true, force: true })
      mkdirSync(path)
      await make(path)
      writeFileSync(complete, '')
      return path
    },
    remove: () => {
      rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
      // What another run kept stays.
      if (!keep) for (const path of used) rmSync(path, { recursive: true, force: true, maxRetries: 3 })
      if (existsSync(cache) && readdirSync(cache).length === 0) rmdirSync(cache)
    },
  }
}
