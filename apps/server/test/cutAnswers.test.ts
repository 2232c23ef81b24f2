import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { dir, file, token, worldWith } from '@canopy/test-support'
import { memoryPorts, type Ports } from '@canopy/testkit'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Registry } from 'prom-client'
import { afterEach, describe, expect, it } from 'vitest'
import { AnswerCut } from '../src/http/AnswerCut.js'
import { metricsIn } from '../src/observe/prometheus.js'
import type { ServerEnv } from '../src/server.js'
import { breakingListing, logged, servedApps } from './inProcess.js'
import { counted } from './observe/observing.js'

describe('an answer that the server cuts', { timeout: 30_000 }, () => {
  const serve = servedApps()
  const sockets: Array<Socket> = []
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
  })

  const nameOf = (index: number): string =>
    [1, 2].map((part) => createHash('sha512').update(`${part} ${index}`).digest('base64url')).join('')
  // More than the buffers of a connection hold, also when it is compressed.
  const many = Array.from({ length: 50_000 }, (_, index) => file(nameOf(index)))
  const large = memoryPorts(worldWith([dir('few', ...many.slice(0, 1_500)), dir('large', ...many), dir('other')]))
  const listing = `/api/storage/v1/diritems/${token}/large`
  const tree = `/api/storage/v1/tree/${token}/large`

  const observed = async (ports: Ports, options: Partial<ServerEnv>) => {
    const registry = new Registry()
    const { lines, log } = logged()
    const service = await serve(ports, { log, metrics: metricsIn(registry), ...options })
    /** The count and the line of a request that was cut for this reason. */
    const expectCut = async (reason: string, operation: string) => {
      await expect.poll(() => lines.filter(({ msg }) => msg === 'request'), { timeout: 10_000 }).toHaveLength(1)
      expect(lines.find(({ msg }) => msg === 'request')).toMatchObject({
        level: 40,
        status: 200,
        error: 'cut',
        cut: reason,
        aborted: true,
      })
      expect(counted(await registry.metrics())).toMatchObject({
        [`canopy_requests_total{operation="${operation}",status="200",failure="cut"}`]: 1,
        [`canopy_requests_aborted_total{operation="${operation}"}`]: 1,
      })
    }
    return { ...service, lines, registry, expectCut }
  }

  const ask = (port: number, target: string, head = '1.1'): Socket => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    sockets.push(socket)
    socket.pause().write(`GET ${target} HTTP/${head}\r\nHost: x\r\n\r\n`)
    return socket
  }
  /** Reads some KB now and then, to the end of the connection; rejects where that is reset. */
  const readSlowly = async (socket: Socket, pauseMs: number): Promise<void> => {
    const reading = setInterval(() => socket.read(16_384), pauseMs)
    socket.on('readable', () => undefined)
    await once(socket, 'close').finally(() => clearInterval(reading))
  }

  it.each([
    ['listing', listing, '1.1', 'storageDirItems'],
    ['listing, compressed', listing, '1.1\r\nAccept-Encoding: gzip', 'storageDirItems'],
    ['tree', tree, '1.1', 'storageTree'],
    ['tree for HTTP/1.0', tree, '1.0', 'storageTree'],
  ])(
    'is one that takes longer than CANOPY_ANSWER_MS, though its client reads: %s',
    async (_, target, head, operation) => {
      const { port, expectCut } = await observed(large, { answerMs: 1_500 })
      const began = performance.now()
      await expect(readSlowly(ask(port, target, head), 100)).rejects.toThrow('ECONNRESET')
      expect(performance.now() - began).toBeGreaterThan(1_400)
      expect(performance.now() - began).toBeLessThan(10_000)
      await expectCut('answer took longer than CANOPY_ANSWER_MS', operation)
    },
  )

  it('is not one that is read in time, nor the next one on its connection', async () => {
    const { url, lines } = await observed(large, { answerMs: 1_000 })
    for (let count = 0; count < 4; count += 1) {
      expect(
        (await (await fetch(`${url}/api/storage/v1/diritems/${token}/few`)).arrayBuffer()).byteLength,
      ).toBeGreaterThan(200_000)
      await sleep(400)
    }
    expect(lines.map(({ status, error }) => [status, error])).toEqual(Array(4).fill([200, undefined]))
  })

  it.each([
    ['listing', listing, 'storageDirItems'],
    ['tree', tree, 'storageTree'],
  ])('is one whose client reads nothing for CANOPY_IDLE_MS: %s', async (_, target, operation) => {
    const { port, expectCut } = await observed(large, { connections: { maxConnections: 10, idleMs: 500 } })
    ask(port, target)
    await expectCut('client read nothing for CANOPY_IDLE_MS', operation)
  })

  it('is one that is unfinished when a stop has had its time', async () => {
    const { port, stop, expectCut } = await observed(large, {})
    await once(ask(port, tree), 'readable')
    expect(await stop({ drainMs: 0, quietMs: 0, stopMs: 100 })).toBe(1)
    await expectCut('server stopped before the answer was out: CANOPY_STOP_MS', 'storageTree')
  })

  it.each(['identity', 'br'])('is one whose body says that it must end early: %s', async (coding) => {
    const ending = breakingListing(() => new AnswerCut('the settings changed'))
    const list: Ports['list'] = (area, path, parent) =>
      path === '/other' ? TE.right(ending) : large.list(area, path, parent)
    const { url, expectCut } = await observed({ ...large, list }, {})
    const answer = await fetch(`${url}/api/storage/v1/tree/${token}`, { headers: { 'Accept-Encoding': coding } })
    await expect(answer.arrayBuffer()).rejects.toThrow('terminated')
    await expectCut('the settings changed', 'storageTree')
  })
})
