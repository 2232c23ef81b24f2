import { existsSync, readFileSync, realpathSync, rmSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, type SqliteUrl } from './RegistryUrl.js'
import { type Unavailable, unavailable } from './Unavailable.js'

/** Magic numbers of statfs(2) of file systems where processes share memory maps and locks, as a write-ahead log requires. */
const sharesMemory = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0x2fc12fc1, // zfs
  0xf2f52010, // f2fs
  0xca451a4e, // bcachefs
  0x3153464a, // jfs
  0x01021994, // tmpfs
  0x858458f6, // ramfs
  0x794c7630, // overlayfs
])

const fileSystemNames: Readonly<Record<number, string>> = {
  1702057286: 'FUSE or virtiofs',
  16914839: '9p',
  26985: 'NFS',
  4283649346: 'CIFS',
  4266872130: 'SMB',
}

/** Returns the real path of a file, or of its nearest existing ancestor. */
const nearestExisting = (path: string): string =>
  existsSync(path) ? realpathSync(path) : nearestExisting(dirname(path))

const mounts = '/proc/self/mountinfo'

/** Compares the fifth field of each mount, which escapes blanks and backslashes in octal. False on systems without the list. */
const isMountedFile = (path: string): boolean => {
  if (!existsSync(mounts)) return false
  const field = path.replace(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`)
  return readFileSync(mounts, 'utf8')
    .split('\n')
    .some((mount) => mount.split(' ')[4] === field)
}

type Problem = readonly [reason: string, hint: string]

const fileSystemProblem = (path: string): Problem | undefined => {
  const { type } = statfsSync(path)
  if (process.platform !== 'linux' || sharesMemory.has(type)) return undefined
  const kind = fileSystemNames[type] ?? `statfs type 0x${type.toString(16)}`
  return [
    `is on a file system (${kind}) where processes may not see each other's changes`,
    'Keep it on a local disk (ext4, xfs, btrfs) and set CANOPY_REGISTRY to it, or use PostgreSQL',
  ]
}

const placeProblem = (path: string): Problem | undefined => {
  const place = nearestExisting(path)
  if (!existsSync(path))
    return existsSync(`${path}-wal`) || existsSync(`${path}-shm`)
      ? [
          'is missing, but its -wal or -shm file exists',
          'Put the registry back, or remove those files to start a new one',
        ]
      : fileSystemProblem(place)
  const file = statSync(place)
  if (file.isDirectory()) return ['is a directory', `Use a file in it: sqlite:${path}/registry.sqlite`]
  // Opening a pipe would wait for its other end.
  if (!file.isFile())
    return ['is a pipe, a socket or a device', 'Use a regular file, or a path that does not exist yet']
  if (file.nlink > 1)
    return [
      `has ${file.nlink} hard links, and processes that open it under different names do not see each other's changes`,
      'Remove the other links, or put a copy in its place',
    ]
  if (['', '-wal', '-shm'].some((suffix) => isMountedFile(place + suffix)))
    return [
      'is mounted as a single file, so other processes use a different -wal and -shm',
      'Mount the whole directory, or use PostgreSQL',
    ]
  return fileSystemProblem(place)
}

/**
 * A `-shm` without its `-wal` describes a removed log. SQLite would trust it, and lose writes to a new log. SQLite itself
 * creates `-wal` first and removes it last.
 */
const removeLoneShm = (path: string): void => {
  const place = nearestExisting(path)
  if (existsSync(`${place}-shm`) && !existsSync(`${place}-wal`)) rmSync(`${place}-shm`, { force: true })
}

/**
 * Refuses a file on which processes may not see each other's changes. Symbolic links are fine: SQLite keeps `-wal` and `-shm`
 * beside the real file.
 */
export const checkPlace = (url: SqliteUrl): Unavailable | undefined => {
  const problem = placeProblem(url.path)
  if (problem !== undefined) return unavailable(`${describe(url)} ${problem[0]}`, problem[1])
  removeLoneShm(url.path)
  return undefined
}
