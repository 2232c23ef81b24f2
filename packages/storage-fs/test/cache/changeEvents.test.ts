import fs, {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep, setImmediate as tick } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { changeEvents, ending } from '../../src/cache/changeEvents.js'
import { at, dir, file, inArea, openIn } from '../temporaryArea.js'

/** Returns the number of watches of this process on a directory, as the kernel reports it. */
const watchesOn = (directory: string): number => {
  const inode = `ino:${statSync(directory).ino.toString(16)} `
  return readdirSync('/proc/self/fdinfo')
    .map((fd) => `/proc/self/fdinfo/${fd}`)
    .flatMap((file) => (existsSync(file) ? readFileSync(file, 'latin1').split('\n') : []))
    .filter((line) => line.startsWith('inotify') && line.includes(inode)).length
}

describe.runIf(process.platform === 'linux')('a watch on a directory', () => {
  const watching = (
    use: (watch: () => () => void, directory: string, reported: Array<string | undefined>) => Promise<void>,
  ) =>
    inArea([], ({ root, area, directory }) => {
      const reported: Array<string | undefined> = []
      const { watch } = changeEvents(root)
      // Each watches with the same function.
      const changed = (name: string | undefined): void => void reported.push(name)
      const begin = () => watch(area, at('/'), changed) ?? expect.fail('not watched')
      return use(begin, directory, reported)
    })

  it('reports an unknown change when it fails', () =>
    watching(async (watch, _, reported) => {
      // No kernel fails on demand.
      const watchFs = fs.watch
      onTestFinished(() => {
        fs.watch = watchFs
        syncBuiltinESMExports()
      })
      fs.watch = ((...parameters: Parameters<typeof watchFs>) => {
        const watcher = watchFs(...parameters)
        process.nextTick(() => watcher.emit('error', new Error('EIO')))
        return watcher
      }) as typeof watchFs
      syncBuiltinESMExports()
      watch()
      await expect.poll(() => reported).toEqual([undefined])
    }))

  it('ends after too many events of its directory in one tick, and does not begin again at once', () =>
    inArea([dir('loud'), dir('quiet')], async ({ root, area, directory }) => {
      const { watch } = changeEvents(root, { maxEvents: 10 })
      const reported: Array<string> = []
      const begin = (name: string) =>
        watch(area, at(`/${name}`), (entry) => void reported.push(`${name}/${entry ?? ''}`))
      expect([begin('loud'), begin('quiet')].map((each) => each !== undefined)).toEqual([true, true])
      for (const n of Array(100).keys()) writeFileSync(join(directory, 'loud', `${n}`), '')
      await expect.poll(() => reported).toContain('quiet/')
      expect(reported).toContain('loud/')
      expect(watchesOn(join(directory, 'loud'))).toBe(0)
      expect(watchesOn(join(directory, 'quiet'))).toBe(1)
      expect([begin('loud'), begin('quiet')].map((each) => each !== undefined)).toEqual([false, true])
    }))

  it('holds no descriptor', () =>
    inArea([file('f'), dir('d')], async ({ root, area }) => {
      const { watch } = changeEvents(root)
      const watched = ['/', '/d', '/f', '/missing'].map((path) => watch(area, at(path), () => undefined))
      expect(watched.map((each) => each !== undefined)).toEqual([true, true, false, false])
      expect(openIn(root)).toEqual([])
      for (const stop of watched) stop?.()
    }))

  it('reports a change of the directory itself without a name, also when it is watched again', () =>
    watching(async (watch, directory, reported) => {
      watch()()
      const open = Array.from({ length: 8 }, () => openSync(directory, 'r'))
      watch()
      chmodSync(directory, 0o711)
      await expect.poll(() => reported).toEqual([undefined])
      for (const fd of open) closeSync(fd)
    }))

  it('reports to every watch when the queue has overflowed', async () => {
    const queue = Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'))
    const names = Array.from({ length: 1_000 }, (_, index) => `${index}`)
    await inArea([], async ({ root, area, directory }) => {
      const { watch } = changeEvents(root)
      for (const name of [...names, 'last']) mkdirSync(join(directory, name))
      for (const name of names) {
        const stop = watch(area, at(`/${name}`), () => stop?.())
      }
      let reports = 0
      watch(area, at('/last'), () => {
        reports += 1
      })
      // In one tick, so that the last event does not fit into the queue.
      for (let count = 0; count < 1.5 * queue; count += names.length)
        for (const name of names) utimesSync(join(directory, name), count, count)
      writeFileSync(join(directory, 'last/file'), '')
      await expect.poll(() => reports).toBeGreaterThan(0)
    })
  })

  it('reports by name until it ends, and ends in the kernel with its last user', () =>
    watching(async (watch, directory, reported) => {
      const [one, other] = [watch(), watch()]
      one()
      await sleep(20)
      expect(watchesOn(directory)).toBe(1)
      writeFileSync(join(directory, 'a'), '')
      await expect.poll(() => reported).toContainEqual('a')
      other()
      reported.splice(0)
      writeFileSync(join(directory, 'b'), '')
      await expect.poll(() => watchesOn(directory)).toBe(0)
      expect(reported).toEqual([])
    }))
})

it('released watches end in later ticks, in order, a few per tick', async () => {
  const ended: Array<number> = []
  const endLater = ending()
  for (let at = 0; at < 1_000; at += 1) endLater(() => ended.push(at))
  expect(ended).toEqual([])
  await tick()
  expect(ended.length).toBeGreaterThan(0)
  expect(ended.length).toBeLessThan(500)
  await expect.poll(() => ended).toEqual([...Array(1_000).keys()])
})
