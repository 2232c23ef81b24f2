import { memoryPorts } from '@canopy/testkit'
import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { admission, ReadingSlots } from '../../src/limits/admission.js'
import { metricsIn, type RequestEnd } from '../../src/observe/prometheus.js'
import { openTo } from '../http/connecting.js'
import { later, logged, servedApps } from '../inProcess.js'

it('admission refuses requests beyond its bound, and reports each change', () => {
  const numbers: Array<number> = []
  const { acquire, release } = admission({
    maxAdmitted: 2,
    maxConcurrent: 1,
    longMs: 100_000,
    onChange: (n) => numbers.push(n),
  })
  expect([acquire(), acquire(), acquire()]).toEqual([true, true, false])
  release()
  expect(acquire()).toBe(true)
  expect(numbers).toEqual([1, 2, 1, 2])
})

it('idle areas take no memory for slots', () => {
  const slots = new ReadingSlots(2)
  expect(['a', 'a', 'a', 'b'].map((area) => slots.acquire(area))).toEqual([true, true, false, true])
  for (const area of ['a', 'a', 'b']) slots.release(area)
  expect(slots.size).toBe(0)
  expect(slots.acquire('a')).toBe(true)
})

describe('a service that makes one answer at once', () => {
  const served = servedApps()

  const ids = ['first', 'second'] as const
  const triggers = ids.map((id) => ({ id, value: `{"type":"${id}"}`, state: 'valid' as const }))
  const peek = (id: (typeof ids)[number]) => `/api/triggers/v1/peek/${id}`

  /** Holds back each look-up of a trigger. The first one is requested. */
  const serve = async (most = 100) => {
    const memory = memoryPorts({ accounts: [], triggers })
    const lookups: Array<() => void> = []
    const triggerOf: typeof memory.triggerOf = (id) => async () => {
      const { value, give } = later()
      lookups.push(give)
      await value
      return memory.triggerOf(id)()
    }
    const { lines, log } = logged()
    const registry = new Registry()
    const spans: Array<RequestEnd> = []
    const tracing = {
      begin: () => ({ recorded: undefined, end: (end: RequestEnd) => void spans.push(end) }),
      stop: () => Promise.resolve(),
    }
    const options = { metrics: metricsIn(registry), tracing, log, cacheBytes: 0 }
    const bounds = { maxAdmitted: most, maxConcurrent: 1, longMs: 100_000 }
    const { port, ask: get } = await served({ ...memory, triggerOf }, { ...options, admission: bounds })
    const ask = (target: string) => {
      const client = new AbortController()
      const answered = fetch(`http://127.0.0.1:${port}${target}`, client)
      const leave = async () => {
        client.abort()
        await answered.catch(() => undefined)
      }
      const type = async () => (await (await answered).json()).value.type
      return { leave, type }
    }
    const first = ask(peek('first'))
    await expect.poll(() => lookups.length).toBe(1)
    return { port, ask, get, first, lookups, lines, spans, counted: () => registry.metrics() }
  }

  it('queues requests in their order, but no probe', async () => {
    const { ask, get, first, lookups } = await serve()
    const second = ask(peek('second'))
    expect((await get('/healthz')).status).toBe(200)
    expect(lookups.length).toBe(1)
    lookups[0]?.()
    expect(await first.type()).toBe('first')
    await expect.poll(() => lookups.length).toBe(2)
    lookups[1]?.()
    expect(await second.type()).toBe('second')
  })

  it('skips a client that left the queue', async () => {
    const { ask, first, lookups, lines, spans, counted } = await serve()
    const queued = ask(peek('second'))
    await expect.poll(counted).toContain('canopy_requests_admitted 2')
    await queued.leave()
    await expect.poll(() => lines.length).toBe(1)
    expect(lines[0]).toMatchObject({ msg: 'request', target: '(no operation)', aborted: true })
    expect(spans).toMatchObject([{ operation: 'none', status: 'none', failure: 'none', complete: false }])
    expect(await counted()).toContain('canopy_requests_total{operation="none",status="none",failure="none"} 1')
    lookups[0]?.()
    expect(await first.type()).toBe('first')
    const third = ask(peek('first'))
    await expect.poll(() => lookups.length).toBe(2)
    lookups[1]?.()
    expect(await third.type()).toBe('first')
  })

  it('counts the work for a client that has left', async () => {
    const { get, first, lookups } = await serve(1)
    await first.leave()
    const status = async () => (await get('/nowhere')).status
    expect(await status()).toBe(503)
    lookups[0]?.()
    await expect.poll(status).toBe(404)
  })

  /** Requests in one packet. */
  const pipeline = (port: number, ...targets: ReadonlyArray<string>) => {
    const client = openTo(port)
    client.socket.write(targets.map((target) => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''))
    return client
  }

  it('refuses pipelined requests beyond the bound', async () => {
    const { port, lookups, counted } = await serve(3)
    const { heard } = pipeline(port, ...Array<string>(4).fill(peek('second')))
    await expect.poll(counted).toContain('canopy_requests_admitted 3')
    for (const at of [0, 1, 2]) {
      await expect.poll(() => lookups.length).toBe(at + 1)
      lookups[at]?.()
    }
    await expect.poll(() => heard().match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(['200', '200', '503', '503'])
  })
})
