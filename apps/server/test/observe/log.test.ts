import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, read, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Area, StoragePath, type UserId } from '@canopy/domain'
import fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { lineASecond, openLog, redact, redactJson } from '../../src/observe/log.js'
import { reportFullCache } from '../../src/storage.js'
import { logged } from '../inProcess.js'

const rest = 'Zq3-_v7KDPx0123456789abcdefghijklmnopqrstuA'
const hex = (text: string): string => (text.codePointAt(0) ?? 0).toString(16)
const percent = (text: string): string => Array.from(text, (character) => `%${hex(character)}`).join('')

describe('a redacted text', () => {
  it.each([
    '',
    '/',
    '/a//b/',
    '/cnp',
    '/a%2Fb',
    '/100%',
    '/%zz',
    '/%25',
    '/c/np_',
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
    ['an encoded token', '/%63np_abc/b', '/[token]/b'],
    ['a token encoded twice', '/%2563np_abc', '/[token]'],
    ['a token encoded eight times', `/%${'25'.repeat(7)}63np_abc`, '/[token]'],
    ['a token encoded nine times', `/a/%${'25'.repeat(8)}63np_abc/b`, '/a/[escapes]/b'],
    ['a target of nothing but escapes', `/%${'25'.repeat(12_000)}`, '/[escapes]'],
    ['a token behind an encoded slash', '/a%2Fcnp_abc/b', '/[token]/b'],
    ['a token that an encoded slash splits', '/cnp_ab%2Fcd/e', '/[token]/e'],
    ['a trigger id between encoded slashes', '/a%2F0123456789-_abcdefXYZw%2Fb', '/[trigger id]'],
    ['an encoded token with a malformed escape', '/cnp%5Fabc%', '/[token]'],
    ['an encoded token beside bytes that are no UTF-8', '/%63np_abc%ff', '/[token]'],
    ['a trigger id', '/a/0123456789-_abcdefXYZw/b', '/a/[trigger id]/b'],
    ['a secret in a message', "EACCES: open '/proc/1/fd/26/cnp_abc'", "EACCES: open '/proc/1/fd/26/[token]'"],
    ['a trigger id in a message', "EIO: open '/fd/26/0123456789-_abcdefXYZw'", "EIO: open '/fd/26/[trigger id]'"],
    ['a token without its prefix', `/a/${rest}/b`, '/a/[token]/b'],
    ['a token without its prefix in a message', `no way to ${rest}.`, 'no way to [token].'],
    ['a token without its prefix in a longer run', `/xyz-${rest}xyz`, '/[token]'],
    ['two tokens without their prefix in one run', `/${rest}${rest}`, '/[token]'],
    ['an encoded token without its prefix', `/${percent(rest)}`, '/[token]'],
    ['a token without its prefix, encoded twice', `/${percent(percent(rest))}`, '/[token]'],
    ['a token without its prefix behind an encoded slash', `/1%2F${rest}/b`, '/[token]/b'],
    ['a token with an encoded slash in it', `/${rest.slice(0, 20)}%2F${rest.slice(20)}`, '/[token]'],
    ['a token with an encoded slash in it, encoded twice', `/${rest.slice(0, 20)}%252F${rest.slice(20)}`, '/[token]'],
    ['a token in a query', `?token=${rest}&a=b`, '?token=[token]&a=b'],
    ['a token in base64url without a capital letter', `/${'a0-_'.repeat(10)}abc`, '/[token]'],
    ['64 digits of a hash', `/${'0f'.repeat(32)}`, '/[token]'],
  ])('%s is replaced', (_, path, shown) => {
    expect(redact(path)).toBe(shown)
  })
})

describe('a log line', () => {
  it('is redacted like its text, and stays JSON', () => {
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

describe('a log to a pipe', () => {
  const folder = mkdtempSync(join(tmpdir(), 'canopy-log-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  let pipes = 0
  const ends: Array<number> = []
  afterEach(() => {
    for (const fd of ends.splice(0)) closeSync(fd)
  })
  const open = (path: string, flags: string | number): number => {
    const fd = openSync(path, flags)
    ends.push(fd)
    return fd
  }

  /** A log to a pipe that holds 64 KiB, and the other end. */
  const piped = (maxBytes: number) => {
    pipes += 1
    const path = join(folder, `pipe-${pipes}`)
    execFileSync('mkfifo', [path])
    const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
    return { path, reader, ...openLog({ base: null }, open(path, 'w'), maxBytes) }
  }

  const reading = (fd: number) => {
    const buffer = Buffer.alloc(1_000_000)
    let text = ''
    return async (): Promise<string> => {
      const { bytesRead } = await readSome(fd, buffer, 0, buffer.length, null).catch(() => ({ bytesRead: 0 }))
      text += buffer.toString('utf8', 0, bytesRead)
      return text
    }
  }

  it('without a reader keeps lines up to its bound, and counts lost ones', async () => {
    const { reader, log } = piped(100_000)
    ends.push(reader)
    const lines = 1_000
    for (const n of Array(lines).keys()) log.info(lineOf(n))
    const read = reading(reader)
    await expect.poll(read, { timeout: 10_000 }).toContain('log lines lost')
    const printed = (await read())
      .trimEnd()
      .split('\n')
      .map((line): { readonly msg: string; readonly lost?: number } => JSON.parse(line))
    const written = printed.slice(0, -1).map(({ msg }) => msg)
    expect(written).toEqual(Array.from({ length: written.length }, (_, n) => lineOf(n)))
    expect(written.length).toBeGreaterThan(50)
    expect(printed.at(-1)).toMatchObject({ level: 40, lost: lines - written.length })
  })
})

describe('the log of refused requests', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('has one line for each second, with the number of refusals', () => {
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
})

const place = (location: string, path: string) => ({
  area: { owner: 1n as UserId.UserId, location: Area.location(location) },
  path: O.getOrElseW((): never => expect.fail(path))(StoragePath.fromString(path)),
})

describe('an area that does not fit into the cache of listings', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const line = (area: string, raiseBy: number) =>
    expect.objectContaining({ level: 40, area, raiseBy, msg: expect.stringContaining('raise CANOPY_CACHE_BYTES') })

  it('is logged once, with the missing bytes of its directories', () => {
    const { lines, log } = logged()
    const onFull = reportFullCache(log, 4 / 3)
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
