import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

/** Mounts a FUSE file system on a new directory and kills what serves it. Resolves with what unmounts it. */
export const deadMount = async (directory: string): Promise<() => Promise<void>> => {
  await mkdir(directory)
  const { dev } = await stat(directory)
  const source = await mkdtemp(join(tmpdir(), 'canopy-mounted-'))
  const daemon = spawn('bindfs', ['-f', source, directory], { stdio: 'ignore' })
  const ended = once(daemon, 'close')
  const failed = ended.then(() => Promise.reject(new Error('bindfs ended before it was mounted')))
  const mounted = async (): Promise<void> => {
    while ((await stat(directory)).dev === dev) await sleep(20)
  }
  await Promise.race([mounted(), failed])
  failed.catch(() => undefined)
  daemon.kill('SIGKILL')
  await ended
  // Until then the system answers from what it remembers of the mount.
  while (await stat(directory).then(Boolean, () => false)) await sleep(20)
  return async () => {
    await promisify(execFile)('umount', ['-l', directory])
    await rm(source, { recursive: true })
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
