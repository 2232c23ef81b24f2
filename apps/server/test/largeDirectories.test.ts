import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { files, startListingStore, worldWith } from '@canopy/test-support'
import { memoryPorts, type Ports, type WorldAccount } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { servedApps } from './inProcess.js'
import { seedData } from './seedData.js'
import { dataOf, startServer } from './startServer.js'

const serve = servedApps()

const target = '/api/usercontent/v1/diritems/id/1'

/** The head of an answer, its length, and the sizes of its chunks. */
const receive = async (port: number, path = target) => {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  const received = await buffer(socket)
  const end = received.indexOf('\r\n\r\n')
  const head = received.subarray(0, end).toString('latin1')
  const body = received.subarray(end + 4)
  const sizes: Array<number> = []
  if (!/transfer-encoding: chunked/i.test(head)) return { head, sizes, length: body.length }
  for (let at = 0; at < body.length; ) {
    const line = body.indexOf('\r\n', at)
    const size = Number.parseInt(body.subarray(at, line).toString('latin1'), 16)
    sizes.push(size)
    at = line + size + 4
  }
  return { head, sizes, length: sizes.reduce((sum, size) => sum + size, 0) }
}

describe('a listing over a storage with pages', () => {
  const hide = (names: ReadonlyArray<string>): Partial<WorldAccount> => ({
    settings: [
      { path: '/', visibility: 'public' },
      ...names.map((name) => ({ path: `/${name}`, visibility: 'private' as const })),
    ],
  })
  const visible = (count: number) => files(count, 'visible')
  const secret = files(3_000, 'secret')
  const names = secret.map(({ name }) => name)

  it.each([
    [100, 2, 'in one piece'],
    [3_000, 100, 'as a stream'],
    [3_000, 100_000, 'as a stream'],
  ])('of %i items on pages of %i is sent %s', async (count, pageEntries, form) => {
    const { port } = await serve(memoryPorts(worldWith(visible(count)), { pageEntries }))
    const { head, sizes, length } = await receive(port)
    expect([/^etag: /im.test(head), /^content-length: /im.test(head)]).toEqual(
      form === 'as a stream' ? [false, false] : [true, true],
    )
    expect(new Set(sizes.slice(0, -2))).toEqual(new Set(form === 'as a stream' ? [64 * 1024] : []))
    expect(length).toBeGreaterThan(100 * count)
  })

  it.each([100, 3_000])('of %i items has the same form with and without hidden items', async (count) => {
    const received = async (nodes: typeof secret) => {
      const { port } = await serve(
        memoryPorts(worldWith([...visible(count), ...nodes], hide(names)), { pageEntries: 500 }),
      )
      const { head, ...body } = await receive(port)
      return { ...body, head: head.replaceAll(/^(date|x-request-id): .*$/gim, '') }
    }
    expect(await received(secret)).toEqual(await received([]))
  })

  const slowly = (ports: Ports, ms: number): Ports => ({
    ...ports,
    list:
      (...request) =>
      async () => {
        await sleep(ms)
        return ports.list(...request)()
      },
  })

  it.each([
    ['listing', target],
    ['tree', '/api/usercontent/v1/tree/id/1'],
  ])('restarts the limit on the first byte with each page: %s', async (_, path) => {
    const ports = slowly(memoryPorts(worldWith(visible(10)), { pageEntries: 2 }), 200)
    const { port } = await serve(ports, { firstByteMs: 500, portMs: 400 })
    expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(200)
  })

  it('is external after CANOPY_ANSWER_MS without a first byte', async () => {
    const ports = slowly(memoryPorts(worldWith(visible(100)), { pageEntries: 2 }), 100)
    const { port } = await serve(ports, { firstByteMs: 300, portMs: 250, answerMs: 1_000 })
    const began = performance.now()
    expect((await fetch(`http://127.0.0.1:${port}${target}`)).status).toBe(502)
    expect(performance.now() - began).toBeLessThan(3_000)
  })

  /** An answer over a storage that fails after some good pages. */
  const failingAfter = async (goodPages: number): Promise<Response> => {
    const memory = memoryPorts(worldWith(visible(20_000)), { pageEntries: 200 })
    let pages = 0
    const list: Ports['list'] =
      (...request) =>
      async () => {
        pages += 1
        return pages > goodPages ? E.left({ error: 'external', cause: new Error('EIO') }) : memory.list(...request)()
      }
    const { port } = await serve({ ...memory, list })
    return fetch(`http://127.0.0.1:${port}${target}`)
  }

  it('is external if a page fails before the first byte, and cut after it', async () => {
    expect((await failingAfter(1)).status).toBe(502)
    const begun = await failingAfter(40)
    expect(begun.status).toBe(200)
    await expect(begun.text()).rejects.toThrow('terminated')
  })
})

describe('a server with a heap of 40 MiB', { timeout: 120_000 }, () => {
  const count = 150_000

  /** Its peak memory in megabytes. */
  const residentPeak = (pid: number | undefined): number =>
    Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000

  const over = dataOf((data) => seedData(data, worldWith([])))

  const start = async () => {
    const store = await startListingStore(['1/', '1/large/'], 1_000, { prefix: '1/large/', count })
    onTestFinished(store.stop)
    const server = await startServer({
      CANOPY_DATA: over.data,
      CANOPY_STORAGE: `s3://bucket?endpoint=${store.endpoint}&region=us-east-1&pathStyle=true`,
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: 'secret',
      NODE_OPTIONS: '--max-old-space-size=40',
    })
    onTestFinished(async () => void (await server.end()))
    return server
  }

  it('streams a listing of 150,000 objects in at most 70 MB above idle', async () => {
    const { port, process } = await start()
    const idle = residentPeak(process.pid)
    const { length } = await receive(port, `${target}/large`)
    expect(length).toBeGreaterThan(100 * count)
    expect(residentPeak(process.pid) - idle).toBeLessThan(70)
  })

  it('holds the pages of a tree packed: 150,000 objects', async () => {
    const { port } = await start()
    const { length } = await receive(port, '/api/usercontent/v1/tree/id/1/large?depth=1')
    expect(length).toBeGreaterThan(100 * count)
  })
})
