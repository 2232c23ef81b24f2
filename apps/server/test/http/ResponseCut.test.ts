import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { dir, file, token, worldWith } from '@canopy/test-support'
import { memoryPorts, type Ports } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { observedApps } from '../inProcess.js'
import { openTo } from './connecting.js'

const serve = observedApps()

/** Reads some KB now and then. Rejects when the connection is reset. */
const readSlowly = async (socket: Socket): Promise<void> => {
  const reading = setInterval(() => socket.read(16_384), 100)
  socket.on('readable', () => undefined)
  await once(socket, 'close').finally(() => clearInterval(reading))
}

it.each([
  ['diritems', '1.1', 'storageDirItems'],
  ['tree', '1.0', 'storageTree'],
])('a response is cut after CANOPY_ANSWER_MS: %s, HTTP/%s', async (lookup, version, operation) => {
  // More than the buffers of a connection: escapes make 1.5 kB of each name.
  const ports = memoryPorts(worldWith(Array.from({ length: 10_000 }, (_, at) => file(`${'\u0001'.repeat(240)}${at}`))))
  const { port, lines, counts } = await serve(ports, { firstByteMs: 40_000, portMs: 40_000, answerMs: 1_500 })
  const { socket } = openTo(port, { paused: true })
  socket.write(`GET /api/storage/v1/${lookup}/${token} HTTP/${version}\r\nHost: x\r\n\r\n`)
  await expect(readSlowly(socket)).rejects.toThrow('ECONNRESET')
  const cut = { error: 'cut', cut: 'response exceeded CANOPY_ANSWER_MS', aborted: true }
  const line = expect.objectContaining({ msg: 'request', level: 40, status: 200, ...cut })
  await expect.poll(() => lines).toContainEqual(line)
  expect(await counts()).toMatchObject({
    [`canopy_requests_total{operation="${operation}",status="200",failure="cut"}`]: 1,
    [`canopy_requests_aborted_total{operation="${operation}"}`]: 1,
  })
})

describe('the deadline of a request', () => {
  // More than one piece, so that the tree is streamed.
  const many = Array.from({ length: 5_000 }, (_, at) => file(`a${at}`.padEnd(60, '-')))
  const large = memoryPorts(worldWith([...many, ...['x', 'y', 'z'].map((name) => dir(name, file('in')))]))

  const treeOver = async (ports: Partial<Ports>) => {
    const { ask, lines } = await serve({ ...large, ...ports }, { firstByteMs: 1_000, portMs: 900 })
    const { status, body } = await ask('/api/usercontent/v1/tree/id/1')
    return { status, text: body.toString(), lines }
  }

  it('covers all steps until the first byte', async () => {
    const { status, lines } = await treeOver({
      areaOfUser: (user) => () => sleep(600).then(large.areaOfUser(user)),
      settingsOf: (owner) => () => sleep(600).then(large.settingsOf(owner)),
    })
    expect(status).toBe(502)
    expect(lines[0]).toMatchObject({ cause: { message: 'the request timed out after 1000 ms' } })
    expect(lines[0]?.['ms']).toBeLessThan(1_800)
  })

  it('ends with the first byte: the rest of the tree may take longer', async () => {
    const list: Ports['list'] = (area, path) => () => sleep(path === '/' ? 0 : 400).then(large.list(area, path))
    const { status, text } = await treeOver({ list })
    expect([status, text.match(/"name":"in"/g)?.length]).toEqual([200, 3])
  })
})
