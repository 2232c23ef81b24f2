import { setTimeout as sleep } from 'node:timers/promises'
import { dir, file, worldWith } from '@canopy/test-support'
import { memoryPorts } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import type { Ports } from '../src/ports.js'
import { logged, servedApps } from './inProcess.js'

describe('the deadline of a request', () => {
  const served = servedApps()
  // More than one piece, so that the tree is streamed.
  const many = Array.from({ length: 5_000 }, (_, at) => file(`a${at}`.padEnd(60, '-')))
  const large = memoryPorts(worldWith([...many, ...['x', 'y', 'z'].map((name) => dir(name, file('in')))]))

  const treeOver = async (ports: Partial<Ports>) => {
    const { lines, log } = logged()
    const { ask } = await served({ ...large, ...ports }, { log, firstByteMs: 1_000, portMs: 900 })
    const { status, body } = await ask('/api/usercontent/v1/tree/id/1')
    return { status, text: body.toString(), lines }
  }

  it('covers all steps until the first byte', async () => {
    const { status, lines } = await treeOver({
      areaOfUser: (user) => () => sleep(600).then(large.areaOfUser(user)),
      settingsOf: (owner) => () => sleep(600).then(large.settingsOf(owner)),
      list: (area, path) => () => sleep(600).then(large.list(area, path)),
    })
    expect(status).toBe(502)
    expect(lines[0]).toMatchObject({ cause: { message: 'the service gave no answer within 1000 ms' } })
    expect(lines[0]?.['ms']).toBeLessThan(1_800)
  })

  it('ends with the first byte: a tree that has begun is written to its end', async () => {
    const list: Ports['list'] = (area, path) => () => sleep(path === '/' ? 0 : 700).then(large.list(area, path))
    const { status, text } = await treeOver({ list })
    expect([status, text.match(/"name":"in"/g)?.length]).toEqual([200, 3])
  })
})
