import { Area, StoragePath, type UserId } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { reportFullCache } from '../../src/storage.js'

const place = (location: string, path: string) => ({
  area: { owner: 1n as UserId.UserId, location: Area.location(location) },
  path: O.getOrElseW((): never => expect.fail(path))(StoragePath.fromString(path)),
})

describe('an area that does not fit into the cache of listings', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const reporting = () => {
    const lines: Array<unknown> = []
    const log = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(JSON.parse(line)) })
    return { lines, onFull: reportFullCache(log, 4 / 3) }
  }

  const line = (area: string, raiseBy: number) =>
    expect.objectContaining({ level: 40, area, raiseBy, msg: expect.stringContaining('raise CANOPY_CACHE_BYTES') })

  it('has one line, with the bytes that its directories lacked, each counted once', () => {
    const { lines, onFull } = reporting()
    for (const path of ['/a', '/b', '/a']) onFull(place('1', path), 3_000)
    onFull(place('2', '/a'), 300)
    expect(lines).toEqual([])
    vi.advanceTimersByTime(60_000)
    expect(lines).toEqual([line('1', 8_000), line('2', 400)])
    for (const path of ['/a', '/c']) onFull(place('1', path), 3_000)
    vi.advanceTimersByTime(600_000)
    expect(lines).toHaveLength(2)
  })

  it('is counted no further than 10,000 directories', () => {
    const { lines, onFull } = reporting()
    for (let index = 0; index < 20_000; index += 1) onFull(place('1', `/${index}`), 3)
    vi.advanceTimersByTime(60_000)
    expect(lines).toEqual([line('1', 40_000)])
  })
})
