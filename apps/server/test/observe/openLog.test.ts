import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, read, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { openLog } from '../../src/observe/log.js'

const readSome = promisify(read)

const lineOf = (n: number): string => `${n} ${'x '.repeat(500)}`

describe('a log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'canopy-log-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  let pipes = 0
  /** Both ends of a pipe that holds 64 KiB. */
  const newPipe = () => {
    pipes += 1
    const path = join(folder, `pipe-${pipes}`)
    execFileSync('mkfifo', [path])
    const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
    return { path, reader, writer: openSync(path, 'w') }
  }

  it('without a reader holds as much as it may, and then counts what is lost', async () => {
    const { reader, writer } = newPipe()
    const { log } = openLog({ base: null }, { fd: writer, mostWaiting: 100_000 })
    const lines = 1_000
    for (const n of Array(lines).keys()) log.info(lineOf(n))

    const buffer = Buffer.alloc(1_000_000)
    const chunks: Array<string> = []
    const readAll = async () => {
      const { bytesRead } = await readSome(reader, buffer, 0, buffer.length, null).catch(() => ({ bytesRead: 0 }))
      chunks.push(buffer.toString('utf8', 0, bytesRead))
      return chunks.join('')
    }
    await expect.poll(readAll, { timeout: 10_000 }).toContain('the log could not be written for a while')
    const told = chunks
      .join('')
      .trimEnd()
      .split('\n')
      .map((line): { readonly msg: string; readonly lost?: number } => JSON.parse(line))
    const written = told.slice(0, -1).map(({ msg }) => msg)
    expect(written).toEqual(Array.from({ length: written.length }, (_, n) => lineOf(n)))
    expect(written.length).toBeGreaterThan(50)
    expect(told.at(-1)).toMatchObject({ level: 40, lost: lines - written.length })
    closeSync(writer)
    closeSync(reader)
  })

  it('is written whole before the process ends', async () => {
    const { reader, writer } = newPipe()
    const { log, pass, written } = openLog({ base: null }, { fd: writer, mostWaiting: 10_000_000 })
    for (const n of Array(30).keys()) log.info(lineOf(n))
    pass('of another process\n')
    await written()
    const buffer = Buffer.alloc(1_000_000)
    const { bytesRead } = await readSome(reader, buffer, 0, buffer.length, null)
    const lines = buffer.toString('utf8', 0, bytesRead).trimEnd().split('\n')
    expect(lines.length).toBe(31)
    expect(lines.at(-1)).toBe('of another process')
    closeSync(writer)
    closeSync(reader)
  })

  it('whose pipe has no reader waits for another, and then goes on', async () => {
    const { path, reader, writer } = newPipe()
    const { log, written } = openLog({ base: null }, { fd: writer, mostWaiting: 100_000 })
    closeSync(reader)
    log.info('nobody reads this yet')
    await written()
    log.info('nor this')
    const other = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const buffer = Buffer.alloc(1_000)
    const text = async () => {
      const { bytesRead } = await readSome(other, buffer, 0, buffer.length, null).catch(() => ({ bytesRead: 0 }))
      return buffer.toString('utf8', 0, bytesRead)
    }
    await expect.poll(text, { timeout: 10_000 }).toMatch(/nobody reads this yet[\s\S]*nor this/)
    closeSync(writer)
    closeSync(other)
  })
})
