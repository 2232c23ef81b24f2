import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'

/** A directory, and a mount of it that finds its nodes by other spellings too. */
export type FoldingStorage = Awaited<ReturnType<typeof startFoldingStorage>>

// Case, Unicode form, dots and spaces at the end, and a short alias such as SECRE~1 for Secret.
const script = `
import json, os, sys, unicodedata
from fusepy import FUSE, FuseOSError, Operations

source, mounted, options = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
folding, twice = options['folding'], options['twice']

def folded(name):
    return unicodedata.normalize('NFC', name).casefold().rstrip('. ')

def stored(directory, name):
    names = os.listdir(source + directory) if os.path.isdir(source + directory) else []
    if (directory or '/') not in folding or name in names:
        return name
    for other in names:
        if folded(name) in (folded(other), folded(other)[:5] + '~1'):
            return other
    return name

def real(path):
    at = ''
    for name in path.split('/'):
        if name:
            at += '/' + stored(at, name)
    return source + at

def asked(call, *arguments):
    try:
        return call(*arguments)
    except OSError as error:
        raise FuseOSError(error.errno)

class Folding(Operations):
    def init(self, path):
        print('ready', flush=True)
    def getattr(self, path, fh=None):
        stats = asked(os.lstat, real(path))
        return {key: getattr(stats, key) for key in
                ('st_ctime', 'st_gid', 'st_mode', 'st_mtime', 'st_nlink', 'st_size', 'st_uid')}
    def readdir(self, path, fh):
        names = asked(os.listdir, real(path))
        return ['.', '..', *names, *(name for name in names if name in twice)]

FUSE(Folding(), mounted, foreground=True, nothreads=True, attr_timeout=0, entry_timeout=0)
`

const python = '/usr/bin/python3'

export const findFuse = (): E.Either<string, void> => {
  try {
    accessSync('/dev/fuse', constants.R_OK | constants.W_OK)
  } catch {
    return E.left('/dev/fuse cannot be used here')
  }
  return spawnSync(python, ['-c', 'import fusepy']).status === 0
    ? E.right(undefined)
    : E.left('fusepy is not installed here: install python3-fusepy and libfuse2 (Debian, Ubuntu: apt-get install)')
}

/**
 * Mounts one over a fresh directory.
 *
 * @param folding the directories that fold names, from the root of the mount: `/`, `/photos`
 * @param twice names that every directory returns twice
 */
export const startFoldingStorage = async (folding: ReadonlyArray<string>, twice: ReadonlyArray<string> = []) => {
  const home = await mkdtemp(join(tmpdir(), 'canopy-folding-'))
  const [source, mounted] = [join(home, 'source'), join(home, 'mounted')]
  await mkdir(source)
  await mkdir(mounted)
  const options = JSON.stringify({ folding, twice })
  const child = spawn(python, ['-c', script, source, mounted, options], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const end = () => child.kill()
  process.once('exit', end)
  const isReady = await Promise.race([once(child.stdout, 'data').then(() => true), exited.then(() => false)])
  if (!isReady) throw new Error('the file system that folds names did not start')
  return {
    source,
    mounted,
    stop: async () => {
      end()
      await exited
      process.off('exit', end)
      await rm(home, { recursive: true, force: true })
    },
  }
}
