import { type BigIntStats, statSync } from 'node:fs'
import { constants } from 'node:os'
import { type Entry, Failure, Name, U64 } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'

// A leading U+FEFF is part of a name, not a byte order mark.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes a name from its bytes as latin1 text; an empty option if they are not valid UTF-8. */
export const nameOfBytes = (bytes: string): O.Option<Name.Name> =>
  /[^\0-\x7f]/.test(bytes)
    ? pipe(
        O.tryCatch(() => utf8.decode(Buffer.from(bytes, 'latin1'))),
        O.filter(Name.is),
      )
    : Name.fromString(bytes)

/** The largest time that Linux can store. */
const latest = 2n ** 63n - 1n

/**
 * Returns the modification time in whole seconds since 1970, at least 0. Node passes seconds through a double: above 2^53 it
 * rounds them, and a time that rounds to 2^63 arrives as -2^63. Only then `statAgain` reads the node again without bigints,
 * which keeps the sign.
 */
export const modifiedSeconds = (
  { mtimeNs }: Pick<BigIntStats, 'mtimeNs'>,
  statAgain: (path: string) => { readonly mtimeMs: number },
  path: string,
): bigint => {
  // Truncates instead of rounding down: the two differ only before 1970, and that is 0 either way.
  const seconds = mtimeNs / 1_000_000_000n
  if (seconds >= 0n) return seconds
  // The nanoseconds are added to -2^63.
  if (seconds > 1n - latest) return 0n
  try {
    return statAgain(path).mtimeMs > 0 ? latest : 0n
  } catch {
    return 0n
  }
}

/** Returns the node; an empty option for a link, a socket, a pipe or a device. `path` leads to the node, also through links. */
export const nodeOfStats = (stats: BigIntStats, path: string): O.Option<Entry.Node> => {
  const last_modified = U64.clamp(modifiedSeconds(stats, statSync, path))
  if (stats.isFile()) return O.some({ type: 'file', size: U64.clamp(stats.size), last_modified })
  return stats.isDirectory() ? O.some({ type: 'dir', last_modified }) : O.none
}

/** Returns the name of the errno (`ENOENT`) of an error that `node:fs` threw; empty for any other value. */
export const errnoOf = (thrown: unknown): string => {
  if (!(thrown instanceof Error) || !('code' in thrown) || typeof thrown.code !== 'string') return ''
  if (!thrown.code.startsWith('Unknown')) return thrown.code
  // libuv has no name for some, such as ESTALE.
  return Object.entries(constants.errno).find(([, errno]) => 'errno' in thrown && thrown.errno === -errno)?.[0] ?? ''
}

/** The errors that say something about a path. All others are failures of the storage itself. */
const failures = new Map<string, Failure.FileNotFound | Failure.TypeMismatch>([
  ['ENOENT', Failure.fileNotFound],
  // The file system cannot store a name of this length, so there is no node.
  ['ENAMETOOLONG', Failure.fileNotFound],
  // Links do not exist for Canopy, and neither do loops of them.
  ['ELOOP', Failure.fileNotFound],
  ['ENOTDIR', Failure.typeMismatch],
])

export const failureOfErrno = (thrown: unknown): Failure.OfStorage =>
  failures.get(errnoOf(thrown)) ?? Failure.external(thrown)

const permission =
  'this user does not have access: change its permissions or those of its parent directories, or run this as another user'
const noAnswer = 'the file server behind this mount is not responding: start the server, or unmount the file system'
const full = "the disk or this user's quota is full: free some space"

const hints: ReadonlyMap<string, string> = new Map([
  ['EACCES', permission],
  ['EDQUOT', full],
  ['EHOSTDOWN', noAnswer],
  [
    'EIO',
    'the disk, or the connection to it, is failing: check the kernel log (`dmesg`), and copy whatever can still be read',
  ],
  ['EMFILE', 'this process has too many files open: raise its limit (`LimitNOFILE`, `ulimit -n`)'],
  ['ENFILE', 'this machine has too many files open: raise `fs.file-max`'],
  ['ENOENT', 'it does not exist: mount its disk, or create it (`canopy account create` creates the storage)'],
  ['ENOMEM', 'out of memory: raise the memory limit, or lower CANOPY_CACHE_BYTES'],
  ['ENOSPC', full],
  ['ENOTCONN', 'the mount is disconnected: remount it, or unmount it'],
  ['ENOTDIR', 'it is not a directory: move it out of the way, or correct the path'],
  ['EPERM', permission],
  ['EROFS', 'it is mounted read-only: remount it for writing'],
  ['ESTALE', 'the file handle is stale because the server now exports a different file system there: remount it'],
  ['ETIMEDOUT', noAnswer],
])

/** Tells an operator how to repair the cause of an errno. */
export const hintOn = (errno: string): string | undefined => hints.get(errno)

/** Adds the hint to the message of a file system error, once. Other values stay as they are. */
export const withHint = (thrown: unknown): unknown => {
  const code = errnoOf(thrown)
  const hint = hintOn(code)
  if (!(thrown instanceof Error) || hint === undefined || thrown.message.endsWith(hint)) return thrown
  return Object.assign(new Error(`${thrown.message}: ${hint}`, { cause: thrown }), { code })
}
