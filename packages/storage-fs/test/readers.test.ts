import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { namesIn, partLength, partOf } from '../src/readDirectory.mjs'
import { threads } from '../src/threads.js'

const home = mkdtempSync(join(tmpdir(), 'canopy-threads-'))
afterAll(() => rmSync(home, { recursive: true }))

const root = join(import.meta.dirname, '../../..')

const directoryOf = (count: number): string => {
  const directory = join(home, `${count}`)
  mkdirSync(directory)
  for (let index = 0; index < count; index++) writeFileSync(join(directory, `${index}`), '')
  return directory
}

const scriptOf = (name: string, text: string): URL => {
  const file = join(home, name)
  writeFileSync(file, `import { parentPort } from 'node:worker_threads'\n${text}`)
  return pathToFileURL(file)
}

describe('threads that read directories', () => {
  it('find what this thread finds, also in a directory of many parts', async () => {
    const { read } = threads()
    for (const count of [0, 3, 10 * partLength + 1]) {
      const directory = directoryOf(count)
      const names = namesIn(directory)
      const starts = Array.from(
        { length: Math.max(1, Math.ceil(count / partLength)) },
        (_, index) => index * partLength,
      )
      expect(await read(directory)).toEqual({ parts: starts.map((from) => partOf(directory, names, from)) })
    }
  })

  it('answer everyone who asks at once, and are told what stops a reading', async () => {
    const { read } = threads()
    const directory = directoryOf(5)
    const missing = { trouble: { code: 'ENOENT', message: expect.stringContaining('no such'), inEntries: false } }
    const found = { parts: [partOf(directory, namesIn(directory), 0)] }
    expect(await Promise.all([read(directory), read(join(home, 'missing')), read(directory), read(directory)])).toEqual(
      [found, missing, found, found],
    )
  })

  it('hold the process only while somebody waits', () => {
    const script = `
      import { threads } from './packages/storage-fs/dist/threads.js'
      const { read } = threads()
      const reading = read('.')
      await Promise.resolve()
      const held = process.getActiveResourcesInfo().includes('MessagePort')
      await reading
      console.log(held, process.getActiveResourcesInfo().includes('MessagePort'))`
    const told = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      encoding: 'utf8',
      cwd: root,
    })
    expect(told).toBe('true false\n')
  })

  it('are started by whoever asks whether they are ready, and are quiet until something is read', async () => {
    const { areReady, areQuiet, read } = threads({ count: 1 })
    expect([areReady(), areQuiet()]).toEqual([false, true])
    const reading = read(directoryOf(6))
    await Promise.resolve()
    expect(areQuiet()).toBe(false)
    await reading
    expect(areReady()).toBe(true)
  })

  it.each([
    ['ends', 'process.exit(3)', 'ended with code 3'],
    ['throws', "throw new Error('out of luck')", 'out of luck'],
  ])('reject when the thread %s, and do not hang; the next reading has a new thread', async (name, act, message) => {
    const file = scriptOf(`${name}.mjs`, `parentPort.on('message', () => { ${act} })`)
    const { read } = threads({ count: 1, file })
    const died = await Promise.allSettled([read(home), read(home)])
    expect(died).toEqual(
      died.map(() => ({
        status: 'rejected',
        reason: expect.objectContaining({ message: expect.stringContaining(message) }),
      })),
    )
    await expect(read(home)).rejects.toThrow(message)
  })

  it('end when nothing is read any more, and never while something is', async () => {
    const slow = `parentPort.on('message', (jobs) => setTimeout(() => {
      parentPort.postMessage(jobs.map(({ id }) => ({ id, parts: [], isLast: true })))
    }, 100))`
    const { read, areReady } = threads({ count: 1, idleMs: 1, file: scriptOf('slow.mjs', slow) })
    expect(await read(home)).toEqual({ parts: [] })
    await vi.waitUntil(() => !areReady())
    expect(await read(home)).toEqual({ parts: [] })
  })
})
