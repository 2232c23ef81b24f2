import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { memoryPorts, type World, type WorldNode } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { servedApps } from './servedApps.js'

describe('answers that must not be distinguished', () => {
  const serve = servedApps()

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
        const { port } = await serve(memoryPorts(areaWith(count)))
        wires.push(await wireOf(port, encoding), await wireOf(port, encoding))
      }
      expect(wires[0]).toContain('Transfer-Encoding: chunked')
      expect(new Set(wires).size).toBe(1)
    },
  )
})
