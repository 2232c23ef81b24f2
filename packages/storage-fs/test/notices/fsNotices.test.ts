import { createHook } from 'node:async_hooks'
import {
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
import { constants } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it, vi } from 'vitest'
import { fsNotices } from '../../src/notices/fsNotices.js'
import { lingering } from '../../src/notices/lingering.js'
import { dir, file } from '../nodes.js'
import { openIn } from '../openIn.js'
import { at, inArea } from '../temporaryArea.js'

/** How many watches the kernel has on a directory for this process. */
const watchesOn = (directory: string): number => {
  const inode = `ino:${statSync(directory).ino.toString(16)} `
  return readdirSync('/proc/self/fdinfo')
    .map((fd) => `/proc/self/fdinfo/${fd}`)
    .flatMap((file) => (existsSync(file) ? readFileSync(file, 'latin1').split('\n') : []))
    .filter((line) => line.startsWith('inotify') && line.includes(inode)).length
}

/** What libuv calls with each notice of a watch, and with an error instead. */
interface NodesOwnWatch {
  readonly onchange: (status: number, event: string, name: null) => void
}

/** The watches that begin meanwhile. */
const watchesBegunBy = (begin: () => void): ReadonlyArray<NodesOwnWatch> => {
  const begun: Array<NodesOwnWatch> = []
  const hook = createHook({
    init: (_, type, __, resource) => {
      if (type === 'FSEVENTWRAP') begun.push(resource as NodesOwnWatch)
    },
  })
  hook.enable()
  begin()
  hook.disable()
  return begun
}

describe.runIf(process.platform === 'linux')('a watch on a directory', () => {
  const watching = (
    changed: (name: O.Option<string>) => void,
    use: (watch: () => () => void, directory: string) => Promise<void>,
  ) =>
    inArea([], ({ root, area, directory }) => {
      const { watch } = fsNotices(root, undefined, lingering(1000))
      const begin = () => {
        const stop = watch(area, at('/'), changed)
        if (O.isNone(stop)) throw new Error('nothing can be watched')
        return stop.value
      }
      return use(begin, directory)
    })

  it('tells of changes by name until it is ended', async () => {
    const told: Array<O.Option<string>> = []
    await watching(
      (name) => void told.push(name),
      async (watch, directory) => {
        const stop = watch()
        writeFileSync(join(directory, 'a'), '')
        await sleep(20)
        expect(told).toContainEqual(O.some('a'))
        stop()
        told.splice(0)
        writeFileSync(join(directory, 'b'), '')
        await sleep(20)
        expect(told).toEqual([])
      },
    )
  })

  it('tells of a change, whatever it may be, when it fails', async () => {
    const told: Array<O.Option<string>> = []
    await watching(
      (name) => void told.push(name),
      async (watch) => {
        // No kernel fails when it is asked to, so it is said here, to Node itself, that this one did.
        const [begun] = watchesBegunBy(watch)
        begun?.onchange(-constants.errno.EIO, 'change', null)
        expect(told).toEqual([O.none])
      },
    )
  })

  it('ends when more is told of it in one round than can be heard, and is not begun again at once', () =>
    inArea([dir('loud'), dir('quiet')], async ({ root, area, directory }) => {
      const { watch } = fsNotices(root, undefined, lingering(1000), 10)
      const told: Array<string> = []
      const begin = (name: string) =>
        watch(area, at(`/${name}`), (entry) => void told.push(`${name}/${O.toNullable(entry)}`))
      expect([begin('loud'), begin('quiet')].map(O.isSome)).toEqual([true, true])
      for (const n of Array(100).keys()) writeFileSync(join(directory, 'loud', `${n}`), '')
      await expect.poll(() => told).toContain('quiet/null')
      expect(told).toContain('loud/null')
      expect(watchesOn(join(directory, 'loud'))).toBe(0)
      expect(watchesOn(join(directory, 'quiet'))).toBe(1)
      expect([begin('loud'), begin('quiet')].map(O.isSome)).toEqual([false, true])
    }))

  it('holds no descriptor, also where nothing can be watched', () =>
    inArea([file('f'), dir('d')], async ({ root, area }) => {
      const { watch } = fsNotices(root)
      const watched = ['/', '/d', '/f', '/missing'].map((path) => watch(area, at(path), () => undefined))
      expect(watched.map(O.isSome)).toEqual([true, true, false, false])
      expect(openIn(root)).toEqual([])
      for (const stop of watched) if (O.isSome(stop)) stop.value()
    }))

  it('tells of the directory itself without a name', async () => {
    const told: Array<O.Option<string>> = []
    await watching(
      (name) => void told.push(name),
      async (watch, directory) => {
        watch()
        chmodSync(directory, 0o711)
        await sleep(20)
        expect(told).toEqual([O.none])
      },
    )
  })

  it('tells of the directory itself without a name also when it is watched again, by another descriptor', async () => {
    const told: Array<O.Option<string>> = []
    await watching(
      (name) => void told.push(name),
      async (watch, directory) => {
        watch()()
        const taken = Array.from({ length: 8 }, () => openSync(directory, 'r'))
        watch()
        chmodSync(directory, 0o711)
        await sleep(20)
        for (const fd of taken) closeSync(fd)
        expect(told).toEqual([O.none])
      },
    )
  })

  it('tells everyone when the queue has overflowed, also when each watch was given up at its first notice', async () => {
    const queue = Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'))
    const names = Array.from({ length: 1_000 }, (_, index) => `${index}`)
    await inArea([], async ({ root, area, directory }) => {
      const { watch } = fsNotices(root)
      for (const name of [...names, 'last']) mkdirSync(join(directory, name))
      for (const name of names) {
        const stop = watch(area, at(`/${name}`), () => O.isSome(stop) && stop.value())
      }
      let told = 0
      watch(area, at('/last'), () => {
        told += 1
      })
      // All in one round: what comes last finds no place in the queue.
      for (let count = 0; count < 1.5 * queue; count += names.length)
        for (const name of names) utimesSync(join(directory, name), count, count)
      writeFileSync(join(directory, 'last/file'), '')
      await expect.poll(() => told, { timeout: 2000 }).toBeGreaterThan(0)
    })
  })

  it('stands for the kernel until another one does, or nobody has wanted it for some time', async () => {
    await watching(
      () => undefined,
      async (watch, directory) => {
        const stop = watch()
        stop()
        expect(watchesOn(directory)).toBe(1)
        const again = watch()
        await sleep(1500)
        expect(watchesOn(directory)).toBe(1)
        again()
        await vi.waitUntil(() => watchesOn(directory) === 0, 5000)
      },
    )
  })

  it('tells each who watches, though they watch with the same function', async () => {
    const told: Array<O.Option<string>> = []
    await watching(
      (name) => void told.push(name),
      async (watch, directory) => {
        const stop = watch()
        watch()
        stop()
        writeFileSync(join(directory, 'a'), '')
        await sleep(20)
        expect(told).toContainEqual(O.some('a'))
      },
    )
  })
})
