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
    expect(lines[0]).toMatchObject({ cause: { message: 'the service timed out after 1000 ms' } })
    expect(lines[0]?.['ms']).toBeLessThan(1_800)
  })

  it('does not leave a reading slot acquired', async () => {
    let takes = 1_200
    const areaOfUser: Ports['areaOfUser'] = (user) => () => sleep(takes).then(large.areaOfUser(user))
    const maxAdmitted = 4
    const { ask } = await served({ ...large, areaOfUser }, { firstByteMs: 1_000, portMs: 8_000, maxAdmitted })
    const target = '/api/usercontent/v1/diritems/id/1'
    const late = await Promise.all([1, 2, 3, 4].map((limit) => ask(`${target}?limit=${limit}`)))
    expect(late.map(({ status }) => status)).toEqual([502, 502, 502, 502])
    await sleep(500)
    takes = 0
    expect((await ask(target)).status).toBe(200)
  })

  it('ends with the first byte: a tree that has begun is written to its end', async () => {
    const list: Ports['list'] = (area, path) => () => sleep(path === '/' ? 0 : 700).then(large.list(area, path))
    const { status, text } = await treeOver({ list })
    expect([status, text.match(/"name":"in"/g)?.length]).toEqual([200, 3])
  })
})
