import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

export const bindfs = '/usr/bin/bindfs'

interface FuseMount {
  readonly daemon: ChildProcess
  /** How often a directory of it has been opened to be read. */
  readonly opened: () => number
  readonly unmount: () => Promise<void>
}

/** Mounts `source` by FUSE on a new directory. */
const fuseMount = async (source: string, directory: string): Promise<FuseMount> => {
  await mkdir(directory)
  const { dev } = await stat(directory)
  const daemon = spawn(bindfs, ['-d', source, directory], { stdio: ['ignore', 'ignore', 'pipe'] })
  let opened = 0
  createInterface(daemon.stderr).on('line', (line) => {
    if (line.includes('opcode: OPENDIR')) opened += 1
  })
  const failed = once(daemon, 'close').then(() => Promise.reject(new Error('bindfs ended before it was mounted')))
  const mounted = async (): Promise<void> => {
    while ((await stat(directory)).dev === dev) await sleep(20)
  }
  await Promise.race([mounted(), failed])
  failed.catch(() => undefined)
  const unmount = async (): Promise<void> => void (await promisify(execFile)('umount', ['-l', directory]))
  return { daemon, opened: () => opened, unmount }
}

/** Mounts a FUSE file system on a new directory and kills its daemon. Resolves with a function that unmounts it. */
export const deadMount = async (directory: string): Promise<() => Promise<void>> => {
  const source = await mkdtemp(join(tmpdir(), 'canopy-mounted-'))
  const { daemon, unmount } = await fuseMount(source, directory)
  const ended = once(daemon, 'close')
  daemon.kill('SIGKILL')
  await ended
  // The kernel answers from its cache for a while.
  while (await stat(directory).then(Boolean, () => false)) await sleep(20)
  return async () => {
    await unmount()
    await rm(source, { recursive: true })
  }
}

export interface HangingMount {
  /** From now on any process that touches the mount waits. */
  readonly hang: () => void
  readonly goOn: () => void
  readonly opened: FuseMount['opened']
  readonly unmount: () => Promise<void>
}

/** Mounts `source` by FUSE on a new directory. */
export const hangingMount = async (source: string, directory: string): Promise<HangingMount> => {
  const { daemon, opened, unmount } = await fuseMount(source, directory)
  return {
    opened,
    hang: () => void daemon.kill('SIGSTOP'),
    goOn: () => void daemon.kill('SIGCONT'),
    unmount: async () => {
      daemon.kill('SIGKILL')
      await unmount()
    },
  }
}

/** Whether this user may mount, and bindfs is installed. */
export const canMount = async (): Promise<boolean> => {
  const home = await mkdtemp(join(tmpdir(), 'canopy-mount-'))
  try {
    await (await deadMount(join(home, 'mount')))()
    return true
  } catch {
    return false
  } finally {
    await rm(home, { recursive: true })
  }
}
