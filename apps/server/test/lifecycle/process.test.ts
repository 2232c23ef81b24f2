import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { headerOf, request } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Server, spawnServer, startServer, temporaryData } from '../startServer.js'
import { allFiles, plantMuch, requestInFlight } from './inFlight.js'

const saying = async (server: Server, msg: string): Promise<void> => {
  while (!server.lines.some((line) => line['msg'] === msg)) await sleep(10)
}

describe('a server process', { timeout: 30_000 }, () => {
  let data = ''
  beforeAll(async () => {
    data = await temporaryData()
    await plantMuch(data)
  })
  afterAll(() => rm(data, { recursive: true }))

  it.each(['SIGTERM', 'SIGINT', 'SIGQUIT'] as const)(
    'finishes a request in flight on %s, takes no other, and exits 0',
    async (signal) => {
      const server = await startServer({ CANOPY_DATA: data })
      const { finish } = await requestInFlight(server.port)
      const exit = server.end(signal)
      const errorOf = () => request(server.port, { method: 'GET', target: '/' }).catch((error) => error.code)
      await expect.poll(errorOf, { timeout: 10_000 }).toBe('ECONNREFUSED')
      expect(server.process.exitCode).toBe(null)
      expect(await finish()).toBe(allFiles)
      expect(await exit).toBe(0)
      expect(server.lines.filter(({ operation }) => operation === 'userContentTree')).toHaveLength(1)
    },
  )

  it('that stops still answers for CANOPY_DRAIN_MS, with Connection: close, and is not ready', async () => {
    const server = await startServer({ CANOPY_DATA: data, CANOPY_DRAIN_MS: '6000' })
    const exit = server.end()
    await saying(server, 'stopping')
    const answer = await request(server.port, { method: 'GET', target: '/api/usercontent/v1/tree/id/1?depth=0' })
    const probe = await request(server.port, { method: 'GET', target: '/readyz' })
    expect([answer.status, headerOf(answer, 'Connection'), probe.status]).toEqual([200, 'close', 503])
    expect(await exit).toBe(0)
  })

  it('cuts what is not finished CANOPY_STOP_MS after a stop, says how much, and exits 0', async () => {
    const server = await startServer({ CANOPY_DATA: data, CANOPY_STOP_MS: '300' })
    const { finish } = await requestInFlight(server.port)
    expect(await server.end()).toBe(0)
    // The last lines of a process may come in any order.
    expect(server.lines).toContainEqual(expect.objectContaining({ cut: 1, msg: expect.stringContaining('cut') }))
    expect(server.lines).toContainEqual(expect.objectContaining({ aborted: true, msg: 'request' }))
    await expect(finish()).resolves.toBeLessThan(allFiles)
  })

  it('exits 1 at once on a second signal', async () => {
    const server = await startServer({ CANOPY_DATA: data })
    const { socket } = await requestInFlight(server.port)
    socket.on('error', () => undefined)
    const exit = server.end()
    await saying(server, 'stopping')
    server.process.kill('SIGINT')
    expect(await exit).toBe(1)
    socket.destroy()
  })

  it('exits 0 also when it does not listen yet', async () => {
    // Takes connections and says nothing: a database that hangs.
    const database = createServer().listen(0, '127.0.0.1')
    await once(database, 'listening')
    const { port } = database.address() as AddressInfo
    const child = spawnServer({ CANOPY_DATA: data, CANOPY_REGISTRY: `postgres://canopy@127.0.0.1:${port}/canopy` })
    await once(database, 'connection')
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
    database.close()
  })

  it('goes on after SIGHUP when it is a single process', async () => {
    const server = await startServer({ CANOPY_DATA: data })
    server.process.kill('SIGHUP')
    await saying(server, 'nothing is reloaded with one process: restart it, or set CANOPY_WORKERS')
    expect(await server.end()).toBe(0)
  })

  // What each does is tested where it is made: here, that the variable reaches it.
  describe('with a variable of the configuration', () => {
    const page = { method: 'GET', target: '/api/usercontent/v1/diritems/id/1?limit=1000' }

    const started = async (variables: Readonly<Record<string, string>>): Promise<Server> => {
      const server = await startServer({ CANOPY_DATA: data, ...variables })
      onTestFinished(async () => void (await server.end()))
      return server
    }
    const open = async ({ port }: Server): Promise<Socket> => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined)
      onTestFinished(() => void socket.destroy())
      await once(socket, 'connect')
      return socket
    }

    it('CANOPY_MAX_CONNECTIONS bounds the connections', async () => {
      const server = await started({ CANOPY_MAX_CONNECTIONS: '2' })
      const [first, second, third] = [await open(server), await open(server), await open(server)]
      expect(await text(third)).toBe('')
      expect([first.closed, second.closed]).toEqual([false, false])
    })

    it('CANOPY_UNREAD_BYTES bounds the memory of answers that are not read', async () => {
      const server = await started({ CANOPY_UNREAD_BYTES: '1000000' })
      const slow = await open(server)
      slow.write('GET /api/usercontent/v1/diritems/id/1 HTTP/1.1\r\nHost: x\r\n\r\n')
      await once(slow, 'readable')
      expect((await request(server.port, page)).status).toBe(503)
      slow.destroy()
      await expect.poll(async () => (await request(server.port, page)).status).toBe(200)
    })

    it('CANOPY_MAX_IN_FLIGHT bounds the requests that are worked on; the log has a count of those that are refused', async () => {
      const { port, lines } = await started({ CANOPY_MAX_IN_FLIGHT: '1' })
      const statuses: Array<number> = []
      const refused = () => statuses.filter((status) => status === 503).length
      while (refused() < 2) {
        const answers = await Promise.all(Array.from({ length: 24 }, () => request(port, page)))
        statuses.push(...answers.map(({ status }) => status))
      }
      expect(new Set(statuses)).toEqual(new Set([200, 503]))
      const logged = () => lines.filter(({ msg }) => msg === 'overloaded')
      await expect.poll(() => logged().reduce((sum, line) => sum + Number(line['refused']), 0)).toBe(refused())
      expect(logged().length).toBeLessThan(refused())
      expect(lines.filter(({ status }) => status === 503)).toEqual([])
    })
  })
})
