import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { samples } from '../observe/observing.js'
import { seedData, serverOver } from '../startServer.js'

const withDescriptors = (variables: Readonly<Record<string, string>> = {}) =>
  serverOver(
    (data) => seedData(data, { accounts: [], triggers: [] }).then(() => mkdir(join(data, 'areas'))),
    { CANOPY_METRICS_PORT: '0', ...variables },
    { openFiles: 200 },
  )

const open = (port: number, count: number): ReadonlyArray<Socket> => {
  const opened = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => undefined))
  onTestFinished(() => opened.forEach((socket) => void socket.destroy()))
  return opened
}
const closed = (all: ReadonlyArray<Socket>): number => all.filter((socket) => socket.closed).length

/** The answer, which has a length, on an open connection. */
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

describe.each([
  { bound: 'the open-file limit', most: 150, variables: {} },
  { bound: 'CANOPY_MAX_CONNECTIONS', most: 40, variables: { CANOPY_MAX_CONNECTIONS: '40' } },
])('a server with 200 descriptors, and more connections than $bound allows', ({ bound, most, variables }) => {
  const over = withDescriptors(variables)

  it('counts the refused connections, logs the reason once, and answers the others', async () => {
    const opened = open(over.server.port, 300)
    for (const socket of opened) socket.resume()
    await expect.poll(() => closed(opened), { timeout: 10_000 }).toBe(300 - most)
    expect(samples(await over.server.metrics()).get('canopy_connections_refused_total')).toBe(300 - most)
    const lines = over.server.lines.filter(({ msg }) => String(msg).startsWith('refusing connections'))
    expect(lines).toMatchObject([{ level: 40, open: most, msg: expect.stringContaining(bound) }])
    const answered = opened.find((socket) => !socket.closed) as Socket
    expect(await answerOn(answered, '/readyz')).toMatch(/^HTTP\/1\.1 200 /)
  })
})

const over = withDescriptors()

it('without free descriptors, failures to accept are counted and logged, and connections answered', async () => {
  const { server } = over
  const metricsPort = Number(new URL(String(server.said('serving metrics')[0]?.['url'])).port)
  const [scraping] = open(metricsPort, 1)
  const figure = async (name: string): Promise<number> =>
    samples((await answerOn(scraping as Socket, '/metrics')).split('\r\n\r\n')[1] ?? '').get(name) ?? Number.NaN
  // Below the limit of the server's port: connections to the other port take the rest.
  const [kept] = open(server.port, 100)
  await expect.poll(() => figure('process_open_fds')).toBeGreaterThan(100)
  const others = open(metricsPort, 90)
  await expect.poll(() => closed(others)).toBeGreaterThan(0)
  const refused = open(server.port, 20)
  await expect.poll(() => closed(refused)).toBe(20)
  expect(await figure('canopy_accept_failures_total')).toBe(20)
  expect(await figure('canopy_connections_refused_total')).toBe(0)
  expect(await answerOn(kept as Socket, '/readyz')).toMatch(/^HTTP\/1\.1 200 /)
  await expect.poll(() => server.lines.filter(({ msg }) => String(msg).includes('LimitNOFILE'))).toHaveLength(1)
  for (const socket of others) socket.destroy()
  await expect.poll(() => server.status('/readyz').catch(() => 0)).toBe(200)
})
