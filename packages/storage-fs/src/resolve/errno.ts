import { constants } from 'node:os'
import { Failure } from '@canopy/domain'

/** Returns the name of the errno (`ENOENT`) of an error that `node:fs` threw; empty for any other value. */
export const errnoOf = (thrown: unknown): string => {
  if (!(thrown instanceof Error) || !('code' in thrown) || typeof thrown.code !== 'string') return ''
  if (!thrown.code.startsWith('Unknown')) return thrown.code
  // libuv has no name for some, such as ESTALE.
  return Object.entries(constants.errno).find(([, errno]) => 'errno' in thrown && thrown.errno === -errno)?.[0] ?? ''
}

// What an errno means depends on where it occurs:
//
// | what is looked up                    | where                      | ENOENT         | ENAMETOOLONG, ELOOP | others     |
// | root of an area: an unmounted disk?  | `pinByDescriptor`          | external       | external            | external   |
// | name below the root                  | `lookUp`, `failures` below | file not found | file not found      | external * |
// | entry of a directory being listed    | `examine` of directory.ts  | omitted        | unknown **          | unknown ** |
// | directory or file already open       | directory.ts, openEntry.ts | external       | external            | external   |
//
// *  But below a file or a link, whose look-ups fail with ENOTDIR, the kind of that node decides (`#notADirectory` of
//    PathResolver.ts): `type mismatch` below a file.
// ** `external` if the client would see the entry.
const failures = new Map<string, Failure.FileNotFound>([
  ['ENOENT', Failure.fileNotFound],
  // The file system cannot store a name of this length, so there is no node.
  ['ENAMETOOLONG', Failure.fileNotFound],
  // Only from opening a file whose name was just replaced by a link (openEntry.ts). Links on a path fail by their kind.
  ['ELOOP', Failure.fileNotFound],
])

export const failureOfErrno = (thrown: unknown): Failure.OfStorage =>
  failures.get(errnoOf(thrown)) ?? Failure.external(thrown)

const permission =
  'the user that runs Canopy does not have access: change the permissions of the path or its parent directories, or run Canopy as another user'
const noAnswer =
  'the file server behind this mount is not responding: start the file server, or unmount the file system'
const full = "the disk or this user's quota is full: free some space"

const hints: ReadonlyMap<string, string> = new Map([
  ['EACCES', permission],
  ['EDQUOT', full],
  ['EHOSTDOWN', noAnswer],
  [
    'EIO',
    'the disk, or the connection to it, is failing: check the kernel log (`dmesg`), and copy whatever can still be read',
  ],
  ['EMFILE', 'this process has too many files open: raise the open-file limit (`LimitNOFILE`, `ulimit -n`)'],
  ['ENFILE', 'this machine has too many files open: raise `fs.file-max`'],
  ['ENOENT', 'mount the disk, or create the directory (`canopy account create` creates the storage directory)'],
  ['ENOMEM', 'out of memory: raise the memory limit, or lower CANOPY_CACHE_BYTES'],
  ['ENOSPC', full],
  ['ENOTCONN', 'the mount is disconnected: remount it, or unmount it'],
  ['ENOTDIR', 'move the file out of the way, or correct the path'],
  ['EPERM', permission],
  ['EROFS', 'remount the file system for writing'],
  ['ESTALE', 'the file handle is stale because the server now exports a different file system there: remount it'],
  ['ETIMEDOUT', noAnswer],
])

/** Tells an operator how to repair the cause of an errno. */
export const hintOn = (errno: string): string | undefined => hints.get(errno)

/** Adds the hint to the message of a file system error, once. Other values stay as they are. */
export const withHint = (thrown: unknown): unknown => {
  const code = errnoOf(thrown)
  const hint = hintOn(code)
  if (!(thrown instanceof Error) || hint === undefined) return thrown
  const sentence = `${hint.charAt(0).toUpperCase()}${hint.slice(1)}`
  if (thrown.message.endsWith(sentence)) return thrown
  return Object.assign(new Error(`${thrown.message}. ${sentence}`, { cause: thrown }), { code })
}
