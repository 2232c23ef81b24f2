import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { samples } from '../observe/observing.js'
import { seedData } from '../seedData.js'
import { serverOver } from '../startServer.js'

const connections = (port: number, count: number): ReadonlyArray<Socket> =>
  Array.from({ length: count }, () =>
    connect(port, '127.0.0.1')
      .on('error', () => undefined)
      .resume(),
  )

describe.each([
  { bound: 'the limit of open files', most: 150, variables: {} as Readonly<Record<string, string>> },
  { bound: 'CANOPY_MAX_CONNECTIONS', most: 40, variables: { CANOPY_MAX_CONNECTIONS: '40' } },
])('a server with 200 descriptors, and more connections than $bound allows', ({ bound, most, variables }) => {
  const over = serverOver(
    (data) => seedData(data, { accounts: [], triggers: [] }).then(() => mkdir(join(data, 'areas'))),
    { CANOPY_METRICS_PORT: '0', ...variables },
    { openFiles: 200 },
  )
  let open: ReadonlyArray<Socket> = []
  beforeAll(() => {
    open = connections(over.server.port, 300)
  })
  afterAll(() => {
    for (const socket of open) socket.destroy()
  })

  const refused = (): number => open.filter((socket) => socket.closed).length

  it('counts those that it refuses, logs once why, and answers the others', async () => {
    await expect.poll(refused, { timeout: 10_000 }).toBe(300 - most)
    expect(samples(await over.server.metrics()).get('canopy_connections_refused_total')).toBe(300 - most)
    const lines = over.server.lines.filter(({ msg }) => String(msg).startsWith('refusing connections'))
    expect(lines).toMatchObject([{ level: 40, open: most, msg: expect.stringContaining(bound) }])
    const answered = open.find((socket) => !socket.closed) as Socket
    answered.write('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(String(await once(answered, 'data'))).toMatch(/^HTTP\/1\.1 200 /)
  })
})
