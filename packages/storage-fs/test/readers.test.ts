import { execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import * as O from 'fp-ts/lib/Option.js'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { partLength, readingOf } from '../src/readDirectory.mjs'
import { readers } from '../src/readers.js'
import { asNobody } from './asNobody.js'
import { besideWorker } from './besideWorker.js'

const home = mkdtempSync(join(tmpdir(), 'canopy-readers-'))
afterAll(() => rmSync(home, { recursive: true }))

const root = join(import.meta.dirname, '../../..')

const directoryOf = (count: number): string => {
  const directory = join(home, `${count}`)
  mkdirSync(directory)
  for (let index = 0; index < count; index++) writeFileSync(join(directory, `${index}`), '')
  return directory
}

const foundIn = (directory: string) => {
  return O.some({ parts: [...readingOf({ directory }, false)].map(({ part }) => part) })
}

const scriptOf = (name: string, text: string): URL => {
  const file = join(home, name)
  writeFileSync(file, text)
  return pathToFileURL(file)
}

const ready = 'process.send([])'
/** Who listens to nothing ends at once, ready or not. */
const staying = `process.on('message', () => undefined)`

describe('processes that read directories', () => {
  it('have no environment: that of this process may hold secrets', async () => {
    const told = join(home, 'environment')
    const text = `require('node:fs').writeFileSync(${JSON.stringify(told)}, JSON.stringify(Object.keys(process.env)))`
    const { areReady } = readers({ file: scriptOf('environment.cjs', `${text};${ready};${staying}`), count: 1 })
    await vi.waitUntil(areReady, 10_000)
    expect(Object.keys(process.env)).toContain('PATH')
    expect(JSON.parse(readFileSync(told, 'utf8'))).not.toContain('PATH')
  })

  it('find what this process finds, also in a directory of many parts, read once or as a snapshot', async () => {
    const { read } = readers()
    for (const count of [0, 3, 10 * partLength + 1]) {
      const directory = directoryOf(count)
      expect(await read(directory)).toEqual(foundIn(directory))
      expect(await read(directory, true)).toEqual(foundIn(directory))
    }
  })

  it('tell only of the last reading of a large directory that is read again and again', async () => {
    const { read } = readers()
    const directory = directoryOf(9 * partLength)
    const makeOne = `fs.writeFileSync(at + '/new-' + process.hrtime.bigint(), '')`
    const reading = await besideWorker(makeOne, directory, async () => {
      await vi.waitUntil(() => readdirSync(directory).length > 9 * partLength, 15_000)
      return read(directory, true)
    })
    const parts = O.isSome(reading) && 'parts' in reading.value ? reading.value.parts : []
    const names = parts.flatMap((part) => part.names.split('/'))
    expect(names.length).toBeGreaterThan(9 * partLength)
    expect(names).toEqual([...new Set(names)].sort())
  })

  it('are killed when they have something to read and say nothing any more', async () => {
    const file = scriptOf('stuck.mjs', `${ready};${staying}`)
    const { areReady, read } = readers({ count: 1, file, stuckMs: 100 })
    await vi.waitUntil(areReady, 15_000)
    await expect(read(home)).rejects.toThrow('SIGKILL')
    expect(areReady()).toBe(false)
    await vi.waitUntil(areReady, 15_000)
  })

  it.runIf(existsSync('/proc/self/fd'))('read what this process holds open, wherever it is by now', async () => {
    const { read } = readers()
    const directory = directoryOf(4)
    const found = foundIn(directory)
    const held = openSync(directory, 'r')
    renameSync(directory, join(home, 'elsewhere'))
    expect(await read(`/proc/${process.pid}/fd/${held}`)).toEqual(found)
    closeSync(held)
  })

  it('say that they are ready, and then only what they found', async () => {
    const directory = directoryOf(6 * partLength)
    const reader = fork(join(import.meta.dirname, '../src/reader.mjs'), { execArgv: [], serialization: 'advanced' })
    const said: Array<ReadonlyArray<{ readonly isLast: boolean }>> = []
    reader.on('message', (answers) => void said.push(answers as unknown as (typeof said)[number]))
    reader.send([{ id: 0, directory, isSnapshot: false, withinMs: 5000 }])
    await vi.waitUntil(() => said.flat().some(({ isLast }) => isLast), 15_000)
    reader.disconnect()
    expect(said.map(({ length }) => length)).toEqual([0, 1, 1])
  })

  it('say what a small directory holds while large ones are read, and read those one after the other', async () => {
    const [large, small] = [directoryOf(20 * partLength), directoryOf(7)]
    const reader = fork(join(import.meta.dirname, '../src/reader.mjs'), { execArgv: [], serialization: 'advanced' })
    const said: Array<{ readonly id: number; readonly isLast: boolean }> = []
    reader.on('message', (answers) => void said.push(...(answers as unknown as typeof said)))
    const jobOf = (directory: string, id: number) => ({ id, directory, isSnapshot: false, withinMs: 5000 })
    reader.send([large, large, large, small].map(jobOf))
    await vi.waitUntil(() => said.filter(({ isLast }) => isLast).length === 4, 15_000)
    reader.disconnect()
    expect(said.filter(({ isLast }) => isLast).map(({ id }) => id)).toEqual([3, 0, 1, 2])
    const ofLargeOnes = said.map(({ id }) => id).filter((id) => id !== 3)
    expect(ofLargeOnes).toEqual([...ofLargeOnes].sort((a, b) => a - b))
  })

  it('read nothing that nobody waits for any more', async () => {
    const directory = directoryOf(8)
    const { read } = readers({ count: 1, longestMs: -1 })
    expect(await read(directory)).toEqual(
      O.some({ trouble: { code: 'ETIMEDOUT', message: expect.stringContaining('too many') } }),
    )
  })

  it('answer everyone who asks at once, and are told what stops a reading', async () => {
    const { read } = readers()
    const directory = directoryOf(5)
    const missing = O.some({
      trouble: { code: 'ENOENT', message: expect.stringContaining('no such') },
    })
    const found = foundIn(directory)
    expect(await Promise.all([read(directory), read(join(home, 'missing')), read(directory), read(directory)])).toEqual(
      [found, missing, found, found],
    )
  })

  it('name what may not be looked at where only the names may be read, and go on with others', async () => {
    const reader = pathToFileURL(join(import.meta.dirname, '../src/reader.mjs'))
    const asSomebody = 'if (process.geteuid?.() === 0) process.seteuid(65_534)'
    const file = scriptOf('nobody.mjs', `await import(${JSON.stringify(reader)})\n${asSomebody}`)
    const { areReady, read } = readers({ count: 1, file })
    await vi.waitUntil(areReady, 10_000)
    const [open, closed, unsearchable] = [directoryOf(13), directoryOf(12), directoryOf(2)]
    const found = foundIn(open)
    chmodSync(home, 0o755)
    chmodSync(closed, 0o111)
    chmodSync(unsearchable, 0o444)
    const trouble = expect.objectContaining({ code: 'EACCES' })
    const names = expect.objectContaining({ count: 0, names: '', unknown: { names: '0/1', trouble } })
    const told = [found, O.some({ parts: [names] }), O.some({ trouble }), found]
    for (const isSnapshot of [false, true])
      expect(
        await Promise.all([open, unsearchable, closed, open].map((directory) => read(directory, isSnapshot))),
      ).toEqual(told)
    for (const directory of [closed, unsearchable]) chmodSync(directory, 0o755)
  })

  it('are done without where no program is left to start', () => {
    const script = `
      import { readers } from './packages/storage-fs/dist/readers.js'
      process.execPath = '/nowhere/node'
      const { read } = readers({ count: 2 })
      const tag = async () => (await read('/'))._tag
      console.log(...(await Promise.all([tag(), tag(), tag()])), await tag())`
    const told = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      encoding: 'utf8',
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    expect(told).toBe('None None None None\n')
  })

  it.each([1, 2, 3, 4, 5])('are done without where descriptors are few: %i', (free) => {
    const script = `
      import { readers } from './packages/storage-fs/dist/readers.js'
      import { closeSync, openSync } from 'node:fs'
      const taken = []
      try {
        for (;;) taken.push(openSync('/', 'r'))
      } catch {}
      for (let free = 0; free < ${free}; free += 1) closeSync(taken.pop())
      const { read } = readers({ count: 1 })
      const told = await Promise.all([read('/'), read('/')])
      closeSync(taken.pop())
      console.log(...told.map(({ _tag }) => _tag))
      process.exit()`
    const limited = ['-c', 'ulimit -n 200; exec "$0" --input-type=module --eval "$1"', process.execPath, script]
    const told = execFileSync('sh', limited, { encoding: 'utf8', cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
    expect(told).toMatch(/^(None None|Some Some)\n$/)
  })

  it('hold this process only while somebody waits, and end with it', async () => {
    const script = `
      import { readers } from './packages/storage-fs/dist/readers.js'
      const { read } = readers({ count: 1 })
      const held = () => process.getActiveResourcesInfo().includes('PipeWrap')
      const reading = read('/')
      const whileReading = held()
      await reading
      console.log(whileReading, held())`
    const told = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      encoding: 'utf8',
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    expect(told).toBe('true false\n')
  })

  it.runIf(process.platform === 'linux')(
    'go last, end when this process is killed, and at no other signal',
    async () => {
      const script = `
      import { readers } from './packages/storage-fs/dist/readers.js'
      import { readdirSync, readFileSync } from 'node:fs'
      const { read } = readers({ count: 1 })
      const parentOf = (pid) => {
        try {
          return Number(readFileSync('/proc/' + pid + '/stat', 'latin1').split(') ').at(-1).split(' ')[1])
        } catch {
          return 0
        }
      }
      const mine = () => readdirSync('/proc').filter((pid) => /^[0-9]+$/.test(pid) && parentOf(pid) === process.pid)
      for await (const asked of process.stdin) {
        await read('/')
        console.log(mine().join())
      }`
      const child = spawn('nice', ['-n', '5', process.execPath, '--input-type=module', '--eval', script], {
        cwd: root,
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      const reader = async () => {
        child.stdin.write('read')
        const [said] = await once(child.stdout, 'data')
        return Number(said)
      }
      const first = await reader()
      expect(getPriority(first)).toBe(Math.min(19, getPriority() + 10))
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(first, signal)
      await setTimeout(100)
      expect(await reader()).toBe(first)
      child.kill('SIGKILL')
      await vi.waitUntil(() => !existsSync(`/proc/${first}/cwd`), 15_000)
    },
  )

  it('are started by whoever asks whether they are ready, and are quiet until something is read', async () => {
    const { areReady, areQuiet, read } = readers({ count: 1 })
    expect([areReady(), areQuiet()]).toEqual([false, true])
    const reading = read(directoryOf(6))
    await Promise.resolve()
    expect(areQuiet()).toBe(false)
    await reading
    expect(areReady()).toBe(true)
  })

  it.each([
    ['ends', 'process.exit(3)', 'ended with 3'],
    ['is killed', "process.kill(process.pid, 'SIGKILL')", 'ended with SIGKILL'],
  ])('reject when the process %s, and do not hang; the next reading has a new one', async (name, act, message) => {
    const file = scriptOf(`${name}.mjs`, `process.on('message', () => { ${act} })\n${ready}`)
    const { areReady, read } = readers({ count: 1, file })
    for (const _ of [1, 2]) {
      await vi.waitUntil(areReady, 15_000)
      const ended = await Promise.allSettled([read(home), read(home)])
      const rejected = {
        status: 'rejected',
        reason: expect.objectContaining({ message: expect.stringContaining(message) }),
      }
      expect(ended).toEqual([rejected, rejected])
    }
  })

  it('leave it to this process where none can begin, and are not tried again at once', async () => {
    const starts = join(home, 'starts')
    const script = `import { appendFileSync } from 'node:fs'\nappendFileSync(${JSON.stringify(starts)}, 'x')\nprocess.exit(1)`
    const { areReady, read } = readers({ count: 1, file: scriptOf('unable.mjs', script) })
    expect(await Promise.all([read(home), read(home)])).toEqual([O.none, O.none])
    expect([await read(home), areReady()]).toEqual([O.none, false])
    expect(execFileSync('cat', [starts], { encoding: 'latin1' })).toBe('x')
  })

  it.runIf(process.geteuid?.() === 0)(
    'read for nobody whose rights are others than those they began with',
    async () => {
      const { areReady, read } = readers({ count: 1 })
      await read(home)
      expect(await asNobody(async () => [areReady(), await read(home)])).toEqual([false, O.none])
      expect(areReady()).toBe(true)
    },
  )

  it('end when nothing is read any more, and never while something is', async () => {
    const slow = `process.on('message', (jobs) => setTimeout(() => {
      process.send(jobs.map(({ id }) => ({ id, parts: [], isLast: true })))
    }, 100))\n${ready}`
    const { read, areReady } = readers({ count: 1, idleMs: 1, file: scriptOf('slow.mjs', slow) })
    expect(await read(home)).toEqual(O.some({ parts: [] }))
    await vi.waitUntil(() => !areReady(), 15_000)
    expect(await read(home)).toEqual(O.some({ parts: [] }))
  })
})
