import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { worldWith } from '@canopy/test-support'
import { request } from '@canopy/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { plantData } from '../plantData.js'
import { type Server, startServer, temporaryData } from '../startServer.js'

const listing = (directory: string) => ({ method: 'GET', target: `/api/usercontent/v1/diritems/id/1/${directory}` })

// What each does is tested where it is made: here, that the variable reaches it.
describe('a variable of the configuration', { timeout: 30_000 }, () => {
  let data = ''
  const servers: Array<Server> = []
  const sockets: Array<Socket> = []

  beforeAll(async () => {
    data = await temporaryData()
    await plantData(data, worldWith())
    for (const [directory, files] of [
      ['large', 30_000],
      ['middling', 1_000],
    ] as const) {
      mkdirSync(join(data, 'areas/1', directory))
      for (let file = 0; file < files; file += 1)
        writeFileSync(join(data, 'areas/1', directory, `${'n'.repeat(200)}${file}`), '')
    }
  })
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await Promise.all(servers.splice(0).map((server) => server.end()))
  })
  afterAll(() => rm(data, { recursive: true }))

  const started = async (variables: Readonly<Record<string, string>>): Promise<Server> => {
    const server = await startServer({ CANOPY_DATA: data, ...variables })
    servers.push(server)
    return server
  }

  const open = async ({ port }: Server): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    sockets.push(socket)
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
    slow.write(`GET ${listing('large').target} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await once(slow, 'readable')
    expect((await request(server.port, listing('middling'))).status).toBe(503)
    slow.destroy()
    await expect.poll(async () => (await request(server.port, listing('middling'))).status).toBe(200)
  })

  it('CANOPY_MAX_IN_FLIGHT bounds the requests that are worked on; the log has a count of those that are refused', async () => {
    const { port, lines } = await started({ CANOPY_MAX_IN_FLIGHT: '1' })
    const statuses: Array<number> = []
    const refused = () => statuses.filter((status) => status === 503).length
    while (refused() < 2) {
      const answers = await Promise.all(Array.from({ length: 24 }, () => request(port, listing('middling'))))
      statuses.push(...answers.map(({ status }) => status))
    }
    expect(new Set(statuses)).toEqual(new Set([200, 503]))
    const logged = () => lines.filter(({ msg }) => msg === 'overloaded')
    await expect.poll(() => logged().reduce((sum, line) => sum + Number(line['refused']), 0)).toBe(refused())
    expect(logged().length).toBeLessThan(refused())
    expect(lines.filter(({ status }) => status === 503)).toEqual([])
  })
})
