import { dir, file, files, token, worldWith } from '@canopy/test-support'
import { headerOf, memoryPorts, type Ports, type WorldNode } from '@canopy/testkit'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { openTo } from './http/connecting.js'
import { breakingListing, observedApps } from './inProcess.js'

const path = `/api/storage/v1/tree/${token}`

const directories = (count: number): ReadonlyArray<WorldNode> =>
  Array.from({ length: count }, (_, index) => dir(`directory ${String(index).padStart(4, '0')}`, ...files(20)))

const ports = memoryPorts(worldWith(directories(300)))

/** The same ports, but the listing of one directory breaks. */
const breakingAt = (name: string): Ports => ({
  ...ports,
  list: (area, at) => (at === `/${name}` ? TE.right(breakingListing()) : ports.list(area, at)),
})

describe('a tree larger than one chunk', () => {
  const serve = observedApps()
  it.each([
    [1_900, false],
    [3_000, true],
  ])('has no length and entity tag above 256 KiB (%i files)', async (count, isLarge) => {
    const answer = await (await serve(memoryPorts(worldWith(files(count))))).ask(path)
    const without = ['Content-Length', 'ETag'].map((name) => headerOf(answer, name) === undefined)
    expect([answer.body.length > 256 * 1024, ...without]).toEqual([isLarge, isLarge, isLarge])
  })

  it.each(['identity', 'br', 'gzip'])(
    'is cut and reported as a failure when its writing breaks after the first byte: %s',
    async (encoding) => {
      const { url, lines, counts } = await serve(breakingAt('directory 0299'))
      const answer = await fetch(`${url}${path}`, { headers: { 'Accept-Encoding': encoding } })
      expect([answer.status, answer.headers.get('Content-Encoding') ?? 'identity']).toEqual([200, encoding])
      await expect(answer.arrayBuffer()).rejects.toThrow('terminated')
      await expect
        .poll(() => lines)
        .toMatchObject([{ level: 50, status: 200, error: 'external', aborted: true, cause: { message: 'a bug' } }])
      expect(await counts()).toMatchObject({
        'canopy_requests_total{operation="storageTree",status="200",failure="external"}': 1,
        'canopy_requests_aborted_total{operation="storageTree"}': 1,
      })
    },
  )

  const shown = Array.from({ length: 5000 }, (_, index) => file(`${index}`.padStart(4, '0')))
  const unseen = Array.from({ length: 100 }, (_, index) => `${41 * index}`.padStart(4, '0')).map((name, index) =>
    index % 2 === 0 ? file(`${name} private`) : dir(`${name} private`, file('in it')),
  )
  const settings = [
    { path: '/', visibility: 'public' as const },
    ...unseen.map(({ name }) => ({ path: `/${name}`, visibility: 'private' as const })),
  ]

  it.each(['identity', 'gzip', 'br'])('has the same chunks whatever is hidden: %s', async (encoding) => {
    const wires = new Set<string>()
    for (const count of [0, 1, 100]) {
      const area = [...shown, ...unseen.slice(0, count)]
      const { port } = await serve(memoryPorts(worldWith(area, { settings })))
      for (const _ of [1, 2]) {
        const { socket, ended } = openTo(port)
        const headers = `Accept-Encoding: ${encoding}\r\nX-Request-Id: the-same\r\nConnection: close`
        socket.write(`GET /api/usercontent/v1/tree/id/1 HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`)
        wires.add((await ended()).replace(/^Date: .*$/m, ''))
      }
    }
    expect([...wires]).toEqual([expect.stringContaining('Transfer-Encoding: chunked')])
  })
})
