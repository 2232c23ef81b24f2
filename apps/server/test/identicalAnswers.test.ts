import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { memoryPorts, request, scenarios, type World, type WorldNode } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../src/http/listen.js'
import { startApp } from './startApp.js'

const world = scenarios[0]?.world ?? { accounts: [], triggers: [] }
const token = (letter: string): string => `cnp_${letter.repeat(42)}A`

describe('answers that must not be distinguished', () => {
  let service: RunningServer

  beforeAll(async () => {
    service = await startApp(memoryPorts(world))
  })
  afterAll(() => service.stop())

  /** Status, every header and the body as bytes; only the time of day is left out, and the request id is ours. */
  const bytesOf = async (target: string): Promise<string> => {
    const { status, headers, body } = await request(service.port, {
      method: 'GET',
      target,
      headers: [
        ['Host', 'localhost'],
        ['X-Request-Id', 'the-same-for-all'],
      ],
    })
    return JSON.stringify([status, headers.filter(([name]) => name !== 'Date'), body.toString('hex')])
  }

  const same = [
    [
      'unknown, malformed, expired and revoked tokens',
      [token('z'), 'cnp_x', '%zz', token('c'), token('d')].map((credential) => `/api/storage/v1/tree/${credential}/a`),
    ],
    [
      'unknown, unverified, private and malformed users',
      ['77', '3', '2', '01', 'x', '%zz'].map((id) => `/api/usercontent/v1/tree/id/${id}`),
    ],
    [
      'existing and missing names below a private directory',
      ['', '/diary.txt', '/nothing', '/diary.txt/below', '/whispered2'].map(
        (path) => `/api/usercontent/v1/diritems/id/1/private${path}`,
      ),
    ],
    [
      'existing and missing names outside the scope of a token',
      ['/readme.txt', '/nothing', '/photos2', '/readme.txt/below'].map(
        (path) => `/api/storage/v1/tree/${token('b')}${path}`,
      ),
    ],
    [
      'unknown, malformed, expired and deleted triggers',
      ['nobody', '%ff', 'expired', 'deleted', '..'].map((id) => `/api/triggers/v1/peek/${id}`),
    ],
  ] as const

  it.each(same)('%s are answered byte for byte alike, headers included', async (_, targets) => {
    const answers = await Promise.all(targets.map(bytesOf))
    expect(new Set(answers).size).toBe(1)
  })

  const file = (name: string): WorldNode => ({ type: 'file', name, size: 1n, last_modified: 1n })
  const shown = Array.from({ length: 5000 }, (_, index) => file(`${index}`.padStart(4, '0')))
  const unseen = (count: number): ReadonlyArray<WorldNode> =>
    Array.from({ length: count }, (_, index): WorldNode => {
      const name = `${41 * index}`.padStart(4, '0')
      return index % 2 === 0
        ? file(`${name} private`)
        : { type: 'dir', name: `${name} private`, last_modified: 1n, content: [file('in it')] }
    })
  const areaWith = (count: number): World => ({
    accounts: [
      {
        id: '1',
        verified: true,
        tokens: [],
        settings: [
          { path: '/', visibility: 'public' },
          ...unseen(100).map(({ name }) => ({ path: `/${name}`, visibility: 'private' as const })),
        ],
        area: [...shown, ...unseen(count)],
      },
    ],
    triggers: [],
  })

  /** What comes over the connection, with all that frames it. */
  const wireOf = async (port: number, encoding: string): Promise<string> => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1')
    socket.write(
      `GET /api/usercontent/v1/tree/id/1 HTTP/1.1\r\nHost: x\r\nAccept-Encoding: ${encoding}\r\nX-Request-Id: the-same\r\nConnection: close\r\n\r\n`,
    )
    return (await text(socket)).replace(/^Date: .*$/m, '')
  }

  it.each(['identity', 'gzip', 'br'])(
    'streamed trees that differ in what is not shown are so to the last chunk, by the first request and the next: %s',
    async (encoding) => {
      const wires: Array<string> = []
      for (const count of [0, 1, 100]) {
        const { port, stop } = await startApp(memoryPorts(areaWith(count)))
        wires.push(await wireOf(port, encoding), await wireOf(port, encoding))
        await stop()
      }
      expect(wires[0]).toContain('Transfer-Encoding: chunked')
      expect(new Set(wires).size).toBe(1)
    },
  )

  it('different refusals do differ, so the comparison can fail', async () => {
    const answers = await Promise.all([bytesOf(same[0][1][0] ?? ''), bytesOf(same[1][1][0] ?? '')])
    expect(new Set(answers).size).toBe(2)
  })
})
