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
import { setTimeout as sleep, setImmediate as tick } from 'node:timers/promises'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { changeEvents, countingFloods, ending } from '../src/changeEvents.js'
import { at, dir, file, inArea, openIn } from './temporaryArea.js'

/** How many watches the kernel has on a directory for this process. */
const watchesOn = (directory: string): number => {
  const inode = `ino:${statSync(directory).ino.toString(16)} `
  return readdirSync('/proc/self/fdinfo')
    .map((fd) => `/proc/self/fdinfo/${fd}`)
    .flatMap((file) => (existsSync(file) ? readFileSync(file, 'latin1').split('\n') : []))
    .filter((line) => line.startsWith('inotify') && line.includes(inode)).length
}

/** What libuv calls with each event of a watch, and with an error instead. */
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
      const { watch } = changeEvents(root)
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
        await expect.poll(() => told).toContainEqual(O.some('a'))
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
      const { watch } = changeEvents(root, undefined, 10)
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
      const { watch } = changeEvents(root)
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
        await expect.poll(() => told).toEqual([O.none])
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

  it('tells everyone when the queue has overflowed, also when each watch was given up at its first event', async () => {
    const queue = Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'))
    const names = Array.from({ length: 1_000 }, (_, index) => `${index}`)
    await inArea([], async ({ root, area, directory }) => {
      const { watch } = changeEvents(root)
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
      await expect.poll(() => told).toBeGreaterThan(0)
    })
  })

  it('ends for the kernel when it is released, unless another one needs it', async () => {
    await watching(
      () => undefined,
      async (watch, directory) => {
        const [one, other] = [watch(), watch()]
        one()
        await sleep(20)
        expect(watchesOn(directory)).toBe(1)
        other()
        await expect.poll(() => watchesOn(directory)).toBe(0)
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
        await expect.poll(() => told).toContainEqual(O.some('a'))
      },
    )
  })
})

describe('a flood', () => {
  it('is as many events in one round of the event loop as may have filled the queue, and is told once', () => {
    let floods = 0
    const count = countingFloods(() => {
      floods += 1
    }, 4.5)
    const seen = [1, 2, 3, 4, 5, 6].map(() => {
      count()
      return floods
    })
    expect(seen).toEqual([0, 0, 0, 1, 1, 1])
  })

  it('is each event where the queue holds next to none', () => {
    let floods = 0
    countingFloods(() => {
      floods += 1
    }, 0.5)()
    expect(floods).toBe(1)
  })

  it('is none when the same number comes in several rounds', async () => {
    let floods = 0
    const count = countingFloods(() => {
      floods += 1
    }, 4)
    for (const _ of [1, 2, 3]) {
      for (const _one of [1, 2, 3]) count()
      await tick()
    }
    expect(floods).toBe(0)
  })
})

describe('watches that are released', () => {
  const ended: Array<number> = []

  it('end in the next check phase, in order, some in each tick, however many there are', async () => {
    const endLater = ending()
    for (let at = 0; at < 1_000; at += 1) endLater(() => ended.push(at))
    expect(ended).toEqual([])
    await tick()
    expect(ended.length).toBeGreaterThan(0)
    expect(ended.length).toBeLessThan(500)
    await expect.poll(() => ended).toEqual([...Array(1_000).keys()])
  })

  it('end also when others were released before, and out of one another', async () => {
    const endLater = ending()
    const twice: Array<string> = []
    endLater(() => {
      twice.push('first')
      endLater(() => twice.push('second'))
    })
    await expect.poll(() => twice).toEqual(['first', 'second'])
    endLater(() => twice.push('third'))
    await expect.poll(() => twice).toEqual(['first', 'second', 'third'])
  })
})
