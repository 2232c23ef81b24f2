import { readFileSync } from 'node:fs'
import { Failure, type Listing } from '@canopy/domain'
import { dir, file, files, startListingStore, worldWith } from '@canopy/test-support'
import { memoryPorts, type Ports } from '@canopy/testkit'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { get, said } from './http/connecting.js'
import { observedApps } from './inProcess.js'
import { dataOf, seedData, serverOfTest } from './startServer.js'

const listing = '/api/usercontent/v1/diritems/id/1'
const tree = '/api/usercontent/v1/tree/id/1'

/** The bytes of an answer without its date. */
const receive = async (port: number, path: string, encoding = 'identity') => {
  const request = get(path, 'X-Request-Id: the-same', `Accept-Encoding: ${encoding}`, 'Connection: close')
  const wire = (await said(port, request)).replace(/^Date: .*\r\n/m, '')
  const end = wire.indexOf('\r\n\r\n')
  return { wire, head: wire.slice(0, end), body: wire.slice(end + 4) }
}

describe('a large answer', () => {
  const serve = observedApps()

  it.each([
    [100, listing, 2],
    [3_000, listing, 100],
    [3_000, listing, 100_000],
    [1_900, tree, 100_000],
    [3_000, tree, 100_000],
  ])('of %i items is a stream above 256 KiB: %s on pages of %i', async (count, path, entries) => {
    const { port, counts } = await serve(memoryPorts(worldWith(files(count)), { pageEntries: entries }))
    const { head, body } = await receive(port, path)
    expect((await counts())['canopy_nodes_written_total']).toBe(path === tree ? 1 + count : count)
    const isStream = count === 3_000
    const hasHeaders = ['etag', 'content-length'].map((name) => head.toLowerCase().includes(`\r\n${name}: `))
    expect([body.length > 256 * 1024, ...hasHeaders]).toEqual([isStream, !isStream, !isStream])
    expect(body.length).toBeGreaterThan(100 * count)
    const chunks = body.split('\r\n').filter((_, index) => index % 2 === 1)
    const lengths = chunks.slice(0, -1).map(({ length }) => length)
    expect(new Set(lengths.slice(0, -1))).toEqual(new Set(isStream ? [64 * 1024] : []))
    expect(lengths.at(-1) ?? 0).toBeLessThanOrEqual(64 * 1024)
  })

  const numbers = (count: number) => Array.from({ length: count }, (_, index) => `${index}`.padStart(4, '0'))

  it.each([
    [100, listing, 500, 'identity'],
    [3_000, listing, 500, 'identity'],
    [5_000, tree, 100_000, 'identity'],
    [5_000, tree, 100_000, 'gzip'],
    [5_000, tree, 100_000, 'br'],
  ])('of %i items ignores what is hidden: %s on pages of %i, %s', async (count, path, entries, encoding) => {
    const wires = new Set<string>()
    for (const hiddenCount of [0, 1, 3_000]) {
      const names = numbers(hiddenCount).map((number) => `${number} private`)
      const hidden = names.map((name, index) => (index % 2 === 0 ? file(name) : dir(name, file('in it'))))
      const settings = names.map((name) => ({ path: `/${name}`, visibility: 'private' as const }))
      const world = worldWith([...numbers(count).map((name) => file(name)), ...hidden], {
        settings: [{ path: '/', visibility: 'public' }, ...settings],
      })
      const { port } = await serve(memoryPorts(world, { pageEntries: entries }))
      // The second one may be cached.
      for (const _ of [1, 2]) wires.add((await receive(port, path, encoding)).wire)
    }
    expect([...wires]).toEqual([expect.stringMatching(/^HTTP\/1.1 200 /)])
  })

  const slowPages = (count: number, ms: number): Ports => {
    const ports = memoryPorts(worldWith(files(count)), { pageEntries: 2 })
    return { ...ports, list: (...request) => T.delay(ms)(ports.list(...request)) }
  }

  it.each([listing, tree])('restarts the limit on the first byte with each page: %s', async (path) => {
    const { ask } = await serve(slowPages(10, 200), { firstByteMs: 500, portMs: 400 })
    expect((await ask(path)).status).toBe(200)
  })

  it('is external after CANOPY_ANSWER_MS without a first byte', async () => {
    const { ask } = await serve(slowPages(100, 100), { firstByteMs: 300, portMs: 250, answerMs: 1_000 })
    const began = performance.now()
    expect((await ask(listing)).status).toBe(502)
    expect(performance.now() - began).toBeLessThan(3_000)
  })

  it.each([
    ['listing', listing, '*/*'],
    ['tree as lines', tree, 'application/x-ndjson'],
  ])('is external if a page fails before the first byte, and cut after it: %s', async (_, path, Accept) => {
    const memory = memoryPorts(worldWith(files(20_000)), { pageEntries: 200 })
    const answerAfter = async (goodPages: number): Promise<Response> => {
      let pages = 0
      const list: Ports['list'] = (...request) => {
        pages += 1
        return pages > goodPages ? TE.left(Failure.external(new Error('EIO'))) : memory.list(...request)
      }
      return fetch(`${(await serve({ ...memory, list })).url}${path}`, { headers: { Accept } })
    }
    expect((await answerAfter(1)).status).toBe(502)
    const begun = await answerAfter(40)
    expect(begun.status).toBe(200)
    await expect(begun.text()).rejects.toThrow('terminated')
  })

  it.each(['identity', 'br', 'gzip'])('is cut and counted as external if a bug stops it: %s', async (encoding) => {
    const memory = memoryPorts(worldWith(numbers(300).map((name) => dir(name, ...files(20)))))
    const walk = (): never => {
      throw new Error('a bug')
    }
    const breaking: Listing.Listing = {
      entries: { length: 1, at: walk, [Symbol.iterator]: walk },
      unlistable: 0,
    }
    const list: Ports['list'] = (area, path) => (path === '/0299' ? TE.right(breaking) : memory.list(area, path))
    const { url, lines, counts } = await serve({ ...memory, list })
    const answer = await fetch(`${url}${tree}`, { headers: { 'Accept-Encoding': encoding } })
    expect([answer.status, answer.headers.get('Content-Encoding') ?? 'identity']).toEqual([200, encoding])
    await expect(answer.arrayBuffer()).rejects.toThrow('terminated')
    await expect
      .poll(() => lines)
      .toMatchObject([{ level: 50, status: 200, error: 'external', aborted: true, cause: { message: 'a bug' } }])
    expect(await counts()).toMatchObject({
      'canopy_requests_total{operation="userContentTree",status="200",failure="external"}': 1,
      'canopy_requests_aborted_total{operation="userContentTree"}': 1,
    })
  })
})

const count = 150_000
const over = dataOf((data) => seedData(data, worldWith([])))

const residentPeak = (pid: number | undefined): number =>
  Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000

it('a heap of 40 MiB suffices for a listing and a tree of 150,000 objects', { timeout: 300_000 }, async () => {
  const store = await startListingStore(['1/', '1/large/'], 1_000, { prefix: '1/large/', count })
  onTestFinished(store.stop)
  const { port, process } = await serverOfTest({
    CANOPY_DATA: over.data,
    CANOPY_STORAGE: `s3://bucket?endpoint=${store.endpoint}&region=us-east-1&pathStyle=true`,
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret',
    NODE_OPTIONS: '--max-old-space-size=40',
  })
  const idle = residentPeak(process.pid)
  expect((await receive(port, `${listing}/large`)).body.length).toBeGreaterThan(100 * count)
  expect(residentPeak(process.pid) - idle).toBeLessThan(70)
  expect((await receive(port, `${tree}/large?depth=1`)).body.length).toBeGreaterThan(100 * count)
})
