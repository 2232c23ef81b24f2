import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { dir, file, token, worldWith } from '@canopy/test-support'
import { memoryPorts, type Ports } from '@canopy/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ServerEnv } from '../../src/server.js'
import { observedApps } from '../inProcess.js'
import { openTo } from './connecting.js'

describe('an answer', { timeout: 60_000 }, () => {
  const serve = observedApps()
  // More than the buffers of a connection: escapes make 1.5 kB of each name.
  const many = Array.from({ length: 10_000 }, (_, index) => file(`${'\u0001'.repeat(240)}${index}`))
  const large = memoryPorts(worldWith([dir('large', ...many)]))
  const listing = `/api/storage/v1/diritems/${token}/large`
  const tree = `/api/storage/v1/tree/${token}/large`

  const patient = { firstByteMs: 40_000, portMs: 40_000 }

  const observed = async (options: Partial<ServerEnv>) => {
    const { port, lines, counts } = await serve(large, { ...patient, ...options })
    /** The log line and the metrics of the request, after its end. */
    const ended = async () => {
      const line = () => lines.find(({ msg }) => msg === 'request')
      await expect.poll(line, { timeout: 30_000 }).toBeDefined()
      return { line: line(), counts: await counts() }
    }
    return { port, ended }
  }

  const asCut = (reason: string, operation: string) => ({
    line: { level: 40, status: 200, error: 'cut', cut: reason, aborted: true },
    counts: {
      [`canopy_requests_total{operation="${operation}",status="200",failure="cut"}`]: 1,
      [`canopy_requests_aborted_total{operation="${operation}"}`]: 1,
    },
  })

  const ask = (port: number, target: string, head = '1.1'): Socket => {
    const { socket } = openTo(port, { paused: true })
    onTestFinished(() => void socket.destroy())
    socket.write(`GET ${target} HTTP/${head}\r\nHost: x\r\n\r\n`)
    return socket
  }
  /** Reads some KB now and then. Rejects when the connection is reset. */
  const readSlowly = async (socket: Socket, pauseMs: number): Promise<void> => {
    const reading = setInterval(() => socket.read(16_384), pauseMs)
    socket.on('readable', () => undefined)
    await once(socket, 'close').finally(() => clearInterval(reading))
  }

  it.each([
    ['listing', listing, '1.1', 'storageDirItems'],
    ['tree for HTTP/1.0', tree, '1.0', 'storageTree'],
  ])('is cut when it takes longer than CANOPY_ANSWER_MS: %s', async (_, target, head, operation) => {
    const { port, ended } = await observed({ answerMs: 1_500 })
    await expect(readSlowly(ask(port, target, head), 100)).rejects.toThrow('ECONNRESET')
    expect(await ended()).toMatchObject(asCut('response exceeded CANOPY_ANSWER_MS', operation))
  })

  it('is cut after CANOPY_IDLE_MS without traffic on its connection', async () => {
    const { port, ended } = await observed({ connections: { maxConnections: 10, idleMs: 500 } })
    ask(port, tree)
    expect(await ended()).toMatchObject(asCut('connection idle for CANOPY_IDLE_MS', 'storageTree'))
  })
})

describe('the deadline of a request', () => {
  const serve = observedApps()
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
    expect(lines[0]).toMatchObject({ cause: { message: 'the service timed out after 1000 ms' } })
    expect(lines[0]?.['ms']).toBeLessThan(1_800)
  })

  it('ends with the first byte: the rest of the tree may take longer', async () => {
    const list: Ports['list'] = (area, path) => () => sleep(path === '/' ? 0 : 400).then(large.list(area, path))
    const { status, text } = await treeOver({ list })
    expect([status, text.match(/"name":"in"/g)?.length]).toEqual([200, 3])
  })
})
