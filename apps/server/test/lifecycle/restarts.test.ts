import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const bench = fileURLToPath(new URL('../../bench/restarts.mjs', import.meta.url))

const rounds = 3

/** The counts of the bench, whatever its exit code. */
const counted = async (how: 'stop' | 'reload', ...more: ReadonlyArray<string>) => {
  const measure = promisify(execFile)(process.execPath, [bench, `--rounds=${rounds}`, `--how=${how}`, ...more])
  const { stdout } = await measure.catch((failed: { readonly stdout: string }) => failed)
  return JSON.parse(stdout)[how]
}

// Each round starts processes, one after the other.
describe('under load', { timeout: 300_000 }, () => {
  it('a reload fails no request and refuses no connection', async () => {
    const { complete, shed: _, ...rest } = await counted('reload')
    expect(complete).toBeGreaterThan(0)
    expect(rest).toEqual({
      rounds,
      seconds: expect.any(Number),
      exitsOtherThan0: 0,
      failedInFlight: 0,
      refused: 0,
      notAccepted: 0,
      race: 0,
      truncated: 0,
      hung: 0,
      wrong: 0,
    })
  })

  // The drain is longer than a client pauses before the next request on its connection.
  it.each([1, 2])('a stop of %s with a drain, and a start, fail no request in flight', async (workers) => {
    const { complete, failedInFlight, exitsOtherThan0 } = await counted('stop', `--workers=${workers}`, '--drain=2000')
    expect(complete).toBeGreaterThan(0)
    expect({ failedInFlight, exitsOtherThan0 }).toEqual({ failedInFlight: 0, exitsOtherThan0: 0 })
  })
})
