import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { givingWay } from '../src/givingWay.mjs'

/** A machine that does nothing by itself. */
const machine = () => {
  const state = { now: 0, takenAway: 7, sleeps: 0 }
  const giveWay = givingWay({
    now: () => state.now,
    takenAway: () => state.takenAway,
    sleep: () => {
      state.sleeps += 1
      state.now += 0.5
    },
  })
  /** How often it slept while it worked for so many milliseconds, in pieces of a tenth. */
  const work = (ms: number): number => {
    const before = state.sleeps
    const ends = state.now + ms
    while (state.now < ends) {
      state.now += 0.1
      giveWay()
    }
    return state.sleeps - before
  }
  return { state, work }
}

describe('giving way', () => {
  it('never sleeps while nobody takes the processor away', () => {
    expect(machine().work(1000)).toBe(0)
  })

  it('sleeps once it was taken away, after each millisecond of work, for a tenth of a second', () => {
    const { state, work } = machine()
    work(10)
    state.takenAway += 1
    const slept = work(90)
    expect(slept).toBeGreaterThan(50)
    expect(slept).toBeLessThan(62)
    work(20)
    expect(work(500)).toBe(0)
  })

  it('goes on for as long as it is taken away', () => {
    const { state, work } = machine()
    const tenths = Array.from({ length: 10 }, () => {
      state.takenAway += 1
      return work(80)
    })
    expect(Math.min(...tenths)).toBeGreaterThan(45)
  })

  it('really sleeps', () => {
    let turns = 0
    const giveWay = givingWay({ now: () => (turns += 2), takenAway: () => turns })
    const before = process.resourceUsage().voluntaryContextSwitches
    for (let time = 0; time < 200; time += 1) giveWay()
    expect(process.resourceUsage().voluntaryContextSwitches - before).toBeGreaterThan(150)
  })

  it.runIf(process.platform === 'linux')('sees by itself that another process takes the processor away', async () => {
    const [, processor = ''] = /Cpus_allowed_list:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'latin1')) ?? []
    const onOneProcessor = (script: string) => {
      const child = spawn('taskset', ['-c', processor, process.execPath, '--input-type=module', '--eval', script])
      onTestFinished(() => void child.kill('SIGKILL'))
      return child
    }
    onOneProcessor('for (;;);')
    const giver = onOneProcessor(`
      import { givingWay } from ${JSON.stringify(new URL('../src/givingWay.mjs', import.meta.url).href)}
      let sleeps = 0
      const giveWay = givingWay({ sleep: () => { sleeps += 1 } })
      while (sleeps < 10) giveWay()`)
    expect(await once(giver, 'exit')).toEqual([0, null])
  })
})
