import { setTimeout as sleep } from 'node:timers/promises'
import { dir, file, worldWith } from '@canopy/test-support'
import { memoryPorts, request } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import type { Ports } from '../src/ports.js'
import { logged } from './logs.js'
import { servedApps } from './servedApps.js'

const world = worldWith([
  // More than one piece, so that the tree is streamed.
  ...Array.from({ length: 5_000 }, (_, at) => file(`a${at}`.padEnd(60, '-'))),
  ...['x', 'y', 'z'].map((name) => dir(name, file('in'))),
])

describe('the deadline of a request', () => {
  const served = servedApps()
  const memory = memoryPorts(world)

  const serve = async (ports: Partial<Ports>) => {
    const { lines, log } = logged()
    const { port } = await served({ ...memory, ...ports }, { log, answerMs: 1_000, portMs: 900 })
    const get = (path: string) => request(port, { method: 'GET', target: `/api/usercontent/v1/${path}` })
    return { get, lines }
  }

  it('is one for all its steps until the first byte: each may take what is left', async () => {
    const slow: Partial<Ports> = {
      areaOfUser: (user) => () => sleep(600).then(memory.areaOfUser(user)),
      settingsOf: (owner) => () => sleep(600).then(memory.settingsOf(owner)),
      nodeAt: (area, path) => () => sleep(600).then(memory.nodeAt(area, path)),
    }
    const { get, lines } = await serve(slow)
    expect((await get('tree/id/1')).status).toBe(502)
    expect(lines[0]).toMatchObject({ cause: { message: 'the service gave no answer within 1000 ms' } })
    expect(lines[0]?.['ms']).toBeLessThan(1_800)
  })

  it('ends with the first byte: a tree that has begun is written to its end', async () => {
    const list: Ports['list'] = (area, path) => () => sleep(path === '/' ? 0 : 700).then(memory.list(area, path))
    const { get } = await serve({ list })
    const { status, complete, body } = await get('tree/id/1')
    expect([status, complete, body.toString().match(/"name":"in"/g)?.length]).toEqual([200, true, 3])
  })
})
