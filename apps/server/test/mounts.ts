import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const bindfs = '/usr/bin/bindfs'

export const mayMount = spawnSync('unshare', ['--mount', 'true']).status === 0

const mayUseFuse = mayMount && existsSync('/dev/fuse')
if (!mayUseFuse || !existsSync(bindfs))
  console.warn('Mounts are not tested. Install the package bindfs (apt-get install bindfs), and run this as root.')

/** CI fails without bindfs. */
export const fuseIsTested = mayUseFuse && (existsSync(bindfs) || process.env['CI'] === 'true')

/** Arguments that start a program in its own mount namespace, after a script that gets `parameters`. */
export const inOwnMounts = (script: string, ...parameters: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...'unshare --mount --propagation private sh -c'.split(' '),
  `${script} && shift ${parameters.length} && exec "$@"`,
  'sh',
  ...parameters,
]

export const fuseMount = async (source: string, directory: string) => {
  await mkdir(directory)
  const { dev } = await stat(directory)
  const daemon = spawn(bindfs, ['-f', source, directory], { stdio: 'ignore' })
  const failed = once(daemon, 'close').then(() => Promise.reject(new Error('bindfs ended before it was mounted')))
  const mounted = async (): Promise<void> => {
    while ((await stat(directory)).dev === dev) await sleep(20)
  }
  await Promise.race([mounted(), failed])
  failed.catch(() => undefined)
  const unmount = async (): Promise<void> => void (await promisify(execFile)('umount', ['-l', directory]))
  return { daemon, unmount }
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
