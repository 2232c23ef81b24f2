import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { s3Storage } from '@canopy/storage-s3'
import { files, type ListingStore, startListingStore, token, worldWith } from '@canopy/test-support'
import { memoryPorts, memoryRegistry, type Ports, type WorldAccount } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, describe, expect, it } from 'vitest'
import { seedData } from './seedData.js'
import { startApp } from './startApp.js'
import { startServer, temporaryData } from './startServer.js'

const ends: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

type Options = Parameters<typeof startApp>[1]

const served = async (ports: Ports, options?: Options) => {
  const { port, stop } = await startApp(ports, options)
  ends.push(() => stop())
  return port
}

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
    [100, 1_000, 'in one piece'],
    [3_000, 100, 'as a stream'],
    [3_000, 100_000, 'as a stream'],
  ])('of %i items on pages of %i is sent %s', async (count, pageEntries, form) => {
    const port = await served(memoryPorts(worldWith(visible(count)), { pageEntries }))
    const { head, sizes, length } = await receive(port)
    expect([/^etag: /im.test(head), /^content-length: /im.test(head)]).toEqual(
      form === 'as a stream' ? [false, false] : [true, true],
    )
    expect(new Set(sizes.slice(0, -2))).toEqual(new Set(form === 'as a stream' ? [64 * 1024] : []))
    expect(length).toBeGreaterThan(100 * count)
  })

  it.each([100, 3_000])('of %i items is sent in the same form whatever is hidden between them', async (count) => {
    const received = async (nodes: typeof secret) => {
      const port = await served(
        memoryPorts(worldWith([...visible(count), ...nodes], hide(names)), { pageEntries: 500 }),
      )
      const { head, ...body } = await receive(port)
      return { ...body, head: head.replaceAll(/^(date|x-request-id): .*$/gim, '') }
    }
    expect(await received(secret)).toEqual(await received([]))
  })

  it('is the same text as one over a storage without pages', async () => {
    const world = worldWith(visible(3_000))
    const [whole, paged] = await Promise.all(
      [undefined, 700].map(async (pageEntries) => {
        const port = await served(memoryPorts(world, { pageEntries }))
        return (await fetch(`http://127.0.0.1:${port}${target}`)).text()
      }),
    )
    expect(paged).toBe(whole)
  })

  it('with a limit names its next page, however long it is', async () => {
    const port = await served(memoryPorts(worldWith(visible(5_000)), { pageEntries: 300 }))
    const answer = await fetch(`http://127.0.0.1:${port}${target}?limit=4000`)
    expect(answer.headers.get('link')).toMatch(/^<\?limit=4000&after=visible%20\d+>; rel="next"$/)
    expect(JSON.parse(await answer.text()).content.length).toBe(4_000)
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
    const port = await served(ports, { firstByteMs: 500, portMs: 400 })
    expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(200)
  })

  it('is external once the bound of the whole answer has passed before its first byte', async () => {
    const ports = slowly(memoryPorts(worldWith(visible(100)), { pageEntries: 2 }), 100)
    const port = await served(ports, { firstByteMs: 300, portMs: 250, answerMs: 1_000 })
    const began = performance.now()
    expect((await fetch(`http://127.0.0.1:${port}${target}`)).status).toBe(502)
    expect(performance.now() - began).toBeLessThan(3_000)
  })

  /** The answer to a visitor over a storage that fails behind some good pages. */
  const failingAfter = async (goodPages: number): Promise<Response> => {
    const memory = memoryPorts(worldWith(visible(20_000)), { pageEntries: 200 })
    let pages = 0
    const list: Ports['list'] =
      (...request) =>
      async () => {
        pages += 1
        return pages > goodPages ? E.left({ error: 'external', cause: new Error('EIO') }) : memory.list(...request)()
      }
    const port = await served({ ...memory, list })
    return fetch(`http://127.0.0.1:${port}${target}`)
  }

  it('is external if a page fails before the first byte', async () => {
    expect((await failingAfter(1)).status).toBe(502)
  })

  it('is cut if a page fails after the first byte', async () => {
    const answer = await failingAfter(40)
    expect(answer.status).toBe(200)
    await expect(answer.text()).rejects.toThrow('terminated')
  })

  it('is cut at the next page after its token was revoked', async () => {
    const memory = memoryPorts(worldWith(visible(20_000)), { pageEntries: 200 })
    let isRevoked = false
    let pages = 0
    const port = await served({
      ...memory,
      areaOfToken: (given) =>
        isRevoked ? async () => E.left({ error: 'invalid token' as const }) : memory.areaOfToken(given),
      list:
        (...request) =>
        async () => {
          pages += 1
          if (pages === 40) isRevoked = true
          return memory.list(...request)()
        },
    })
    const answer = await fetch(`http://127.0.0.1:${port}/api/storage/v1/diritems/${token}`)
    expect(answer.status).toBe(200)
    await expect(answer.text()).rejects.toThrow('terminated')
    expect(pages).toBe(40)
  })
})

describe('a directory of a million files in a store', { timeout: 120_000 }, () => {
  const count = 1_000_000

  const overStore = async (options?: Options): Promise<{ readonly port: number; readonly store: ListingStore }> => {
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' })
    const store = await startListingStore(['1/', '1/small/f'], 1_000, { prefix: '1/million/', count })
    ends.push(store.stop)
    store.keys.add('1/million/')
    const { endpoint } = store
    const storage = await s3Storage({ bucket: 'bucket', prefix: '', endpoint, region: undefined, pathStyle: true })
    ends.push(async () => storage.close())
    const port = await served({ ...memoryRegistry(worldWith([])), ...storage }, options)
    return { port, store }
  }

  it('streams its listing, one request for each thousand', async () => {
    const { port, store } = await overStore()
    const { length, head } = await receive(port, `${target}/million`)
    expect(head).not.toMatch(/content-length/i)
    expect(length).toBeGreaterThan(100 * count)
    expect(store.asked.length).toBeLessThanOrEqual(1_003)
  })

  it.each(['000000', '499999'])('gives a page of 1,000 after %s in two requests', async (after) => {
    const { port, store } = await overStore()
    // The first request also shows whether the store ignores case.
    await fetch(`http://127.0.0.1:${port}${target}/small`)
    const before = store.asked.length
    const answer = await fetch(`http://127.0.0.1:${port}${target}/million?limit=1000&after=${after}`)
    expect(JSON.parse(await answer.text()).content.length).toBe(1_000)
    expect(answer.headers.get('link')).toContain('rel="next"')
    expect(store.asked.length - before).toBe(2)
  })

  it('is not expanded in a tree whose budget it exceeds, without reading it to its end', async () => {
    const { port, store } = await overStore({ treeNodes: 5_000 })
    const answer = await fetch(`http://127.0.0.1:${port}/api/usercontent/v1/tree/id/1/million?depth=1`)
    expect(JSON.parse(await answer.text()).content.content).toBeUndefined()
    expect(store.asked.length).toBeLessThanOrEqual(10)
  })

  it('is requested no further when the client leaves, and others are undisturbed', async () => {
    const { port, store } = await overStore()
    store.delayMs = 20
    const client = new AbortController()
    const answer = await fetch(`http://127.0.0.1:${port}${target}/million`, { signal: client.signal })
    const reader = answer.body?.getReader()
    await reader?.read()
    const began = performance.now()
    expect((await fetch(`http://127.0.0.1:${port}${target}/small`)).status).toBe(200)
    expect(performance.now() - began).toBeLessThan(1_000)
    client.abort()
    await sleep(500)
    const before = store.asked.length
    await sleep(500)
    expect(store.asked.length).toBe(before)
    expect(before).toBeLessThan(200)
  })
})

describe('a server with a heap of 40 MiB', { timeout: 120_000 }, () => {
  const count = 150_000

  /** Its peak memory in megabytes. */
  const residentPeak = (pid: number | undefined): number =>
    Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000

  const start = async () => {
    const store = await startListingStore(['1/'], 1_000, { prefix: '1/large/', count })
    ends.push(store.stop)
    store.keys.add('1/large/')
    const data = await temporaryData()
    ends.push(() => rm(data, { recursive: true }))
    await seedData(data, worldWith([]))
    const server = await startServer({
      CANOPY_DATA: data,
      CANOPY_STORAGE: `s3://bucket?endpoint=${store.endpoint}&region=us-east-1&pathStyle=true`,
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: 'secret',
      NODE_OPTIONS: '--max-old-space-size=40',
    })
    ends.push(() => server.end())
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
