import { type FSWatcher, mkdtempSync, rmSync, stat, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { countRounds } from '@canopy/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { endOfRound, polled } from '../src/rounds.js'

/** Goes on where requests are read: in the phase of the loop in which it polls, from what the last poll found. */
const whileReading = <A>(goOn: () => Promise<A>): Promise<A> =>
  new Promise((resolve) => stat('.', () => resolve(goOn())))

const roundsOf = async (wait: () => Promise<void>): Promise<number> => {
  const rounds = countRounds()
  const before = rounds.count()
  await wait()
  rounds.stop()
  return rounds.count() - before
}

describe('the end of a round', () => {
  it('is the same for all who wait for it, and the next one for who asks at the end', async () => {
    const first = endOfRound()
    expect(endOfRound()).toBe(first)
    await first
    expect(await roundsOf(endOfRound)).toBe(1)
  })

  it('comes before anything else is read', async () => {
    const happened: Array<string> = []
    await whileReading(async () => {
      stat('.', () => happened.push('read'))
      await endOfRound()
      happened.push('end')
    })
    expect(happened).toEqual(['end'])
  })
})

describe('once the loop has polled', () => {
  let directory = ''
  let watcher: FSWatcher
  let noticed = 0
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'canopy-rounds-'))
    noticed = 0
    watcher = watch(directory, () => {
      noticed += 1
    })
  })
  afterEach(() => {
    watcher.close()
    rmSync(directory, { recursive: true })
  })

  const touch = (): void => writeFileSync(join(directory, 'file'), '')

  it('what was queued before has been delivered, while the end of the round is too soon', async () => {
    const atTheEnd = await whileReading(async () => {
      touch()
      await endOfRound()
      return noticed
    })
    expect(atTheEnd).toBe(0)
    await whileReading(async () => {
      noticed = 0
      touch()
      await polled()
    })
    expect(noticed).toBeGreaterThan(0)
  })

  it('so it has for who asks at the end of a round, a round later', async () => {
    await endOfRound()
    touch()
    await polled()
    expect(noticed).toBeGreaterThan(0)
    expect(await roundsOf(async () => endOfRound().then(polled))).toBe(2)
    expect(await whileReading(() => roundsOf(polled))).toBe(2)
  })

  it('all who wait for the same poll wait together', async () => {
    await whileReading(async () => expect(polled()).toBe(polled()))
    await endOfRound()
    expect(polled()).toBe(polled())
  })
})
