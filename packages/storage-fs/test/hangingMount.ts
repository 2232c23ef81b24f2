import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFuse } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeAll, describe } from 'vitest'
import type { StorageRoot } from '../src/StorageRoot.js'
import { rootAt } from './temporaryArea.js'

// A directory with the file `f`. Every call waits while the file `hangs` exists.
const script = `
import errno, os, sys, time
from fusepy import FUSE, FuseOSError, Operations

mounted, hangs = sys.argv[1:]

def wait():
    while os.path.exists(hangs): time.sleep(0.02)

class Hanging(Operations):
    def init(self, path):
        print('ready', flush=True)
    def getattr(self, path, fh=None):
        wait()
        if path == '/': return {'st_mode': 0o040755, 'st_nlink': 2}
        if path == '/f': return {'st_mode': 0o100644, 'st_nlink': 1, 'st_size': 4}
        raise FuseOSError(errno.ENOENT)
    def readdir(self, path, fh):
        wait()
        return ['.', '..', 'f']
    def read(self, path, size, offset, fh):
        wait()
        return b'text'[offset:offset + size]

FUSE(Hanging(), mounted, foreground=True, direct_io=True, attr_timeout=0, entry_timeout=0)
`

const fuse = findFuse()
if (E.isLeft(fuse)) console.warn(`A hanging FUSE mount is not tested. ${fuse.left}`)

interface HangingMount {
  /** Contains the area `mounted`. */
  readonly root: StorageRoot
  readonly hang: () => void
  readonly answer: () => void
}

/** Describes storage on a FUSE mount that hangs while a test says so. */
export const withHangingMount = (title: string, tests: (mount: HangingMount) => void): void => {
  describe.runIf(E.isRight(fuse))(title, () => {
    const home = mkdtempSync(join(tmpdir(), 'canopy-hanging-'))
    const [mounted, hangs] = [join(home, 'mounted'), join(home, 'hangs')]
    const answer = (): void => rmSync(hangs, { force: true })
    let stop = async (): Promise<void> => undefined
    beforeAll(async () => {
      mkdirSync(mounted)
      const child = spawn('/usr/bin/python3', ['-c', script, mounted, hangs], { stdio: ['ignore', 'pipe', 'inherit'] })
      const exited = once(child, 'exit')
      stop = async () => {
        answer()
        spawnSync('umount', ['-l', mounted])
        child.kill('SIGKILL')
        await exited
      }
      await once(child.stdout, 'data')
    })
    afterAll(async () => {
      await stop()
      rmSync(home, { recursive: true })
    })
    tests({ root: rootAt(home), hang: () => writeFileSync(hangs, ''), answer })
  })
}
