import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { request } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { plantData } from '../plantData.js'
import { registries } from '../registries.js'
import { startServer, temporaryData } from '../startServer.js'

/** A way to a server of databases that can be closed and opened. */
const startWay = async (to: URL) => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const onward = connect(Number(to.port), to.hostname)
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(one)
      one.on('error', () => undefined)
      one.on('close', () => other.destroy())
      one.pipe(other)
    }
  })
  const open = async (port = 0) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await open()
  const { port } = server.address() as AddressInfo
  const url = new URL(to)
  url.port = String(port)
  return {
    url: url.href,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
    open: () => open(port),
  }
}

const long = { timeout: 30_000 }

const remote = registries.filter(({ name }) => name === 'PostgreSQL')

describe.each(remote)('a server of two workers while $name is down', { timeout: 120_000 }, ({ start }) => {
  it('replaces a worker that is killed by one that is ready when the registry is', async () => {
    const { newUrl, stop } = await start()
    const data = await temporaryData()
    await mkdir(join(data, 'areas'))
    const direct = await newUrl(data)
    await plantData(data, { accounts: [], triggers: [] }, direct)
    const way = await startWay(new URL(direct))
    const server = await startServer({ CANOPY_DATA: data, CANOPY_REGISTRY: way.url, CANOPY_WORKERS: '2' })
    const said = (text: string) => server.lines.filter(({ msg }) => msg === text)
    const statusOf = async (target: string) => (await request(server.port, { method: 'GET', target })).status
    const peek = '/api/triggers/v1/peek/bell'
    await expect.poll(() => said('ready').length, long).toBe(2)
    expect(await statusOf(peek)).toBe(404)

    way.close()
    for (const [index, { pid }] of said('ready').entries()) {
      process.kill(Number(pid), 'SIGKILL')
      await expect.poll(() => said('ready').length, long).toBe(3 + index)
    }
    expect(said('a worker did not start')).toEqual([])
    expect(said('not ready')[0]).toMatchObject({ part: 'registry', cause: expect.stringContaining('ECONNREFUSED') })
    expect([await statusOf('/readyz'), await statusOf(peek)]).toEqual([503, 502])

    await way.open()
    await expect.poll(() => statusOf('/readyz'), long).toBe(200)
    for (let time = 0; time < 10; time += 1) expect(await statusOf(peek)).toBe(404)
    expect(await server.end()).toBe(0)
    way.close()
    await stop()
    await rm(data, { recursive: true })
  })
})
