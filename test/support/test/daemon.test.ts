import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { answered, startDaemon } from '../src/daemon.js'

/** Of a process that has ended and that no one has asked for yet, nothing is left but its number. */
const isThere = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`).length > 0
  } catch {
    return false
  }
}

/** A program that starts another one, whose id it writes, and waits for it. */
const waits = async () => {
  const home = await mkdtemp(join(tmpdir(), 'canopy-daemon-'))
  onTestFinished(() => rm(home, { recursive: true }))
  const file = join(home, 'pid')
  const pid = () => Number(existsSync(file) ? readFileSync(file) : 0)
  return { words: ['-c', `sleep 600 & echo $! > ${file}; wait`], pid }
}

describe('a daemon of a test', () => {
  it('is killed with what it has started when the run exits', async () => {
    const source = JSON.stringify(fileURLToPath(new URL('../dist/daemon.js', import.meta.url)))
    const { words, pid } = await waits()
    const run = `
      const { startDaemon } = await import(${source})
      startDaemon('/bin/sh', ${JSON.stringify(words)})
      setTimeout(() => process.exit(), 500)`
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', run])
    expect(pid()).toBeGreaterThan(1)
    await expect.poll(() => isThere(pid())).toBe(false)
  })

  it.each([
    ['what it said when it ends', '/bin/sh', ['-c', 'echo no such port >&2'], 'no such port'],
    ['that it is not there', '/nowhere', [], '/nowhere cannot be started'],
  ])('reports %s', async (_, program, words, said) => {
    const daemon = startDaemon(program, words)
    await expect(answered('http://127.0.0.1:9', [daemon])).rejects.toThrow(said)
    await daemon.stop()
  })

  it('is stopped with what it has started', async () => {
    const { words, pid } = await waits()
    const daemon = startDaemon('/bin/sh', words)
    await expect.poll(() => isThere(pid())).toBe(true)
    await daemon.stop()
    await expect.poll(() => isThere(pid())).toBe(false)
  })
})
