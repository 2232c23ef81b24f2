import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Mounts what does not answer any more: whoever looks at the directory is told `ENOTCONN`. */
export const mountDead = (directory: string): void => {
  const fuse = openSync('/dev/fuse', 'r+')
  try {
    const options = 'fd=3,rootmode=40000,user_id=0,group_id=0'
    execFileSync('mount', ['-i', '-t', 'fuse', '-o', options, 'dead', directory], {
      stdio: ['ignore', 'ignore', 'ignore', fuse],
    })
  } finally {
    closeSync(fuse)
  }
}

export const unmount = (directory: string): void => {
  execFileSync('umount', ['-i', directory])
}

/** Whether this process may mount anything. */
export const mayMount = (): boolean => {
  const directory = mkdtempSync(join(tmpdir(), 'canopy-mount-'))
  try {
    mountDead(directory)
    unmount(directory)
    return true
  } catch {
    return false
  } finally {
    rmdirSync(directory)
  }
}
