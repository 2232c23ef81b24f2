import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { samples } from '../observe/observing.js'
import { seedData } from '../seedData.js'
import { serverOver } from '../startServer.js'

describe('a server that runs out of descriptors', () => {
  const over = serverOver(
    (data) => seedData(data, { accounts: [], triggers: [] }).then(() => mkdir(join(data, 'areas'))),
    { CANOPY_METRICS_PORT: '0' },
    { openFiles: 200 },
  )
  const sockets: Array<Socket> = []
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
  })

  const open = (port: number, count: number): ReadonlyArray<Socket> => {
    const opened = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => undefined))
    sockets.push(...opened)
    return opened
  }
  /** The answer, which has a length, on a connection that is open already. */
  const answerOn = async (socket: Socket, target: string): Promise<string> => {
    socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`)
    let text = ''
    const isWhole = (): boolean => {
      const [head = '', body] = text.split('\r\n\r\n')
      return body !== undefined && Buffer.byteLength(body) === Number(/Content-Length: (\d+)/.exec(head)?.[1])
    }
    while (!isWhole()) text += String((await once(socket, 'data'))[0])
    return text
  }
  const closed = (all: ReadonlyArray<Socket>): number => all.filter((socket) => socket.closed).length

  it('counts and logs connections that it cannot accept, and still answers the open ones', async () => {
    const { server } = over
    const metricsPort = Number(new URL(String(server.said('metrics')[0]?.['url'])).port)
    const [scraping] = open(metricsPort, 1)
    const figure = async (name: string): Promise<number> =>
      samples((await answerOn(scraping as Socket, '/metrics')).split('\r\n\r\n')[1] ?? '').get(name) ?? Number.NaN
    // Fewer than are refused for their number: connections to the other port take the rest.
    const [kept] = open(server.port, 100)
    await expect.poll(() => figure('process_open_fds')).toBeGreaterThan(100)
    const others = open(metricsPort, 90)
    await expect.poll(() => closed(others)).toBeGreaterThan(0)
    const refused = open(server.port, 20)
    await expect.poll(() => closed(refused)).toBe(20)
    expect(await figure('canopy_accept_failures_total')).toBe(20)
    expect(await figure('canopy_connections_refused_total')).toBe(0)
    expect(await figure('process_open_fds')).toBeGreaterThanOrEqual(180)
    // What is open can still be answered, which takes descriptors of files.
    expect(await answerOn(kept as Socket, '/readyz')).toMatch(/^HTTP\/1\.1 200 /)
    await expect.poll(() => server.lines.filter(({ msg }) => String(msg).includes('LimitNOFILE'))).toHaveLength(1)
    for (const socket of others) socket.destroy()
    await expect.poll(() => server.status('/readyz').catch(() => 0)).toBe(200)
  })
})
