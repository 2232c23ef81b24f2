import { execFileSync } from 'node:child_process'
import type { Cluster } from 'node:cluster'
import { EventEmitter } from 'node:events'
import { closeSync, constants, openSync, read } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { promisify } from 'node:util'
import { Area, type StoragePath, type UserId } from '@canopy/domain'
import { temporaryDirectory } from '@canopy/test-support'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { lineASecond, openLog, redact, redactJson, relayWorkers } from '../../src/observe/log.js'
import { reportFullCache } from '../../src/storage.js'
import { logged } from '../inProcess.js'

const rest = 'Zq3-_v7KDPx0123456789abcdefghijklmnopqrstuA'
const hex = (text: string): string => (text.codePointAt(0) ?? 0).toString(16)
const percent = (text: string): string => Array.from(text, (character) => `%${hex(character)}`).join('')

describe('a redacted text', () => {
  it.each([
    '',
    '/',
    '/cnp',
    '/a%2Fb',
    '/100%',
    '/%zz',
    '/holiday-pictures-1999x',
    '/x0123456789-_abcdefXYZw',
    '/0123456789-_abcdefXYZw-',
    '0b9d4b0e-6d53-4b7e-9d64-0b1f0f9a3d57',
    '4bf92f3577b34da6a3ce929d0e0e4736',
    `/${'a'.repeat(42)}`,
    `/${'a'.repeat(42)}.${'a'.repeat(42)}`,
    `/${'photos/'.repeat(20)}`,
  ])('%s is unchanged', (path) => {
    expect(redact(path)).toBe(path)
  })

  it.each([
    ['a token', '/a/cnp_abc/b', '/a/[token]/b'],
    ['two tokens', '/cnp_a/cnp_b', '/[token]/[token]'],
    ['a token with something before it', '/xcnp_a', '/[token]'],
    ['a token in capitals', '/CNP_abc', '/[token]'],
    ['a token encoded eight times', `/%${'25'.repeat(7)}63np_abc`, '/[token]'],
    ['a token encoded nine times', `/a/%${'25'.repeat(8)}63np_abc/b`, '/a/[escapes]/b'],
    ['a target of nothing but escapes', `/%${'25'.repeat(12_000)}`, '/[escapes]'],
    ['a token behind an encoded slash', '/a%2Fcnp_abc/b', '/[token]/b'],
    ['a token that an encoded slash splits', '/cnp_ab%2Fcd/e', '/[token]/e'],
    ['a trigger id between encoded slashes', '/a%2F0123456789-_abcdefXYZw%2Fb', '/[trigger id]'],
    ['an encoded token with a malformed escape', '/cnp%5Fabc%', '/[token]'],
    ['an encoded token beside bytes that are no UTF-8', '/%63np_abc%ff', '/[token]'],
    ['a trigger id', '/a/0123456789-_abcdefXYZw/b', '/a/[trigger id]/b'],
    ['a trigger id in a message', "EIO: open '/fd/26/0123456789-_abcdefXYZw'", "EIO: open '/fd/26/[trigger id]'"],
    ['a token without its prefix', `/a/${rest}/b`, '/a/[token]/b'],
    ['a token without its prefix in a message', `no way to ${rest}.`, 'no way to [token].'],
    ['a token without its prefix in a longer run', `/xyz-${rest}xyz`, '/[token]'],
    ['an encoded token without its prefix', `/${percent(rest)}`, '/[token]'],
    ['a token with an encoded slash in it', `/${rest.slice(0, 20)}%2F${rest.slice(20)}`, '/[token]'],
    ['a token with an encoded slash in it, encoded twice', `/${rest.slice(0, 20)}%252F${rest.slice(20)}`, '/[token]'],
    ['a token in a query', `?token=${rest}&a=b`, '?token=[token]&a=b'],
    ['a token in base64url without a capital letter', `/${'a0-_'.repeat(10)}abc`, '/[token]'],
  ])('%s is replaced', (_, path, shown) => {
    expect(redact(path)).toBe(shown)
  })
  it('stays JSON in a log line', () => {
    const secrets = [rest, `cnp_${rest}`, 'CNP_', '0123456789-_abcdefXYZw']
    const others = ['%63', '%2F', '%', '\n', '\\', '"', '\u001b', 'é', '/', ' ', 'a', '_']
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...secrets, ...others), { maxLength: 8 }), (parts) => {
        const text = parts.join('')
        expect(JSON.parse(redactJson(JSON.stringify(text)))).toBe(redact(text))
      }),
      { numRuns: 2_000 },
    )
  })
})

const readSome = promisify(read)

const lineOf = (n: number): string => `${n} ${'x '.repeat(500)}`

it('a log to a full pipe keeps lines up to its bound, and counts lost ones', async () => {
  const folder = temporaryDirectory(onTestFinished)
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  const writer = openSync(path, 'w')
  onTestFinished(() => {
    for (const fd of [reader, writer]) closeSync(fd)
  })
  const { log } = openLog({ base: null }, writer, 100_000)
  const lines = 1_000
  for (const n of Array(lines).keys()) log.info(lineOf(n))
  const buffer = Buffer.alloc(1_000_000)
  let text = ''
  const readMore = async (): Promise<string> => {
    const { bytesRead } = await readSome(reader, buffer, 0, buffer.length, null).catch(() => ({ bytesRead: 0 }))
    text += buffer.toString('utf8', 0, bytesRead)
    return text
  }
  await expect.poll(readMore, { timeout: 10_000 }).toContain('log lines lost')
  const printed = text
    .trimEnd()
    .split('\n')
    .map((line): { readonly msg: string; readonly lost?: number } => JSON.parse(line))
  const written = printed.slice(0, -1).map(({ msg }) => msg)
  expect(written).toEqual(Array.from({ length: written.length }, (_, n) => lineOf(n)))
  expect(written.length).toBeGreaterThan(50)
  expect(printed.at(-1)).toMatchObject({ level: 40, lost: lines - written.length })
})

it('whole lines of workers are forwarded, the last ones after a worker has exited', async () => {
  const cluster = new EventEmitter()
  const [lines, errors]: [Array<string>, Array<string>] = [[], []]
  const log = { ...openLog({}, 1), pass: (text: string) => void lines.push(text) }
  const lastLines = relayWorkers(cluster as Cluster, log, (text) => void errors.push(text))
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  for (const process of [
    { stdout, stderr },
    { stdout: null, stderr: null },
  ])
    cluster.emit('fork', { process })
  const text = Buffer.from('é\nb\nc')
  stdout.write(text.subarray(0, 1))
  stdout.write(text.subarray(1))
  await expect.poll(() => lines).toEqual(['é\nb\n'])
  setTimeout(() => {
    stdout.end('\n')
    stderr.end('no way')
  }, 20)
  await lastLines()
  expect([lines, errors]).toEqual([['é\nb\n', 'c\n'], ['no way']])
})

const place = (location: string, path: string) => ({
  area: { owner: 1n as UserId.UserId, location: Area.location(location) },
  path: path as StoragePath.StoragePath,
})

describe('a log line about many events', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('has the number of refusals of each second', () => {
    const { lines, log } = logged()
    const report = lineASecond(log, 'refused', 'overloaded')
    const line = (refused: number) => expect.objectContaining({ level: 40, refused, ms: 1000, msg: 'overloaded' })
    for (const _ of [1, 2, 3]) report()
    vi.advanceTimersByTime(999)
    expect(lines).toEqual([])
    vi.advanceTimersByTime(1)
    expect(lines).toEqual([line(3)])
    vi.advanceTimersByTime(10_000)
    for (const _ of [1, 2]) report()
    vi.advanceTimersByTime(1_000)
    expect(lines).toEqual([line(3), line(2)])
  })

  it('has the missing bytes of an area that does not fit into the cache, once', () => {
    const { lines, log } = logged()
    const onFull = reportFullCache(log, 4 / 3)
    const line = (area: string, raiseBy: number) =>
      expect.objectContaining({ level: 40, area, raiseBy, msg: expect.stringContaining('raise CANOPY_CACHE_BYTES') })
    for (const path of ['/a', '/b', '/a']) onFull(place('1', path), 3_000)
    onFull(place('2', '/a'), 300)
    expect(lines).toEqual([])
    vi.advanceTimersByTime(60_000)
    expect(lines).toEqual([line('1', 8_000), line('2', 400)])
    for (const path of ['/a', '/c']) onFull(place('1', path), 3_000)
    vi.advanceTimersByTime(600_000)
    expect(lines).toHaveLength(2)
  })
})
