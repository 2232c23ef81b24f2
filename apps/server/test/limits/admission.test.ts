import { setTimeout as sleep } from 'node:timers/promises'
import { memoryPorts } from '@canopy/testkit'
import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { admission, readingPlaces } from '../../src/limits/admission.js'
import { metricsIn, type RequestEnd } from '../../src/observe/prometheus.js'
import { later, logged, servedApps } from '../inProcess.js'

it('admission refuses what is beyond the bound, and reports when their number changes', () => {
  const numbers: Array<number> = []
  const { enter, leave } = admission({ most: 2, atOnce: 1, longMs: 100_000, onChange: (n) => numbers.push(n) })
  expect([enter(), enter(), enter()]).toEqual([true, true, false])
  leave()
  expect(enter()).toBe(true)
  expect(numbers).toEqual([1, 2, 1, 2])
})

it('idle areas take no memory for slots', () => {
  const taken = new Map<string, number>()
  const { enter, leave } = readingPlaces(2, taken)
  expect(['a', 'a', 'a', 'b'].map(enter)).toEqual([true, true, false, true])
  for (const what of ['a', 'a', 'b']) leave(what)
  expect(taken.size).toBe(0)
  expect(enter('a')).toBe(true)
})

describe('a queue that does one work at once', () => {
  /** Work that begins when it may, and ends when a test says so. */
  const works = (longMs: number) => {
    const { queue } = admission({ most: 100, atOnce: 1, longMs, onChange: () => undefined })
    const begun: Array<string> = []
    const ask = (name: string) => {
      const { value, give } = later<'done' | 'failed'>()
      const over = queue(async () => {
        begun.push(name)
        if ((await value) === 'failed') throw new Error(`${name} failed`)
      })
      return { over, end: give }
    }
    /** Asks for two: the second waits for the first. */
    const begunOfTwo = async () => {
      const [one, two] = [ask('one'), ask('two')]
      await sleep(5)
      const seen = [...begun]
      for (const { end } of [one, two]) end('done')
      await two.over
      return seen
    }
    return { begun, ask, begunOfTwo }
  }

  it('gives a place back where work fails, and reports the failure', async () => {
    const { ask, begunOfTwo } = works(100_000)
    const failing = ask('failing')
    failing.end('failed')
    await expect(failing.over).rejects.toThrow('failing failed')
    expect(await begunOfTwo()).toEqual(['failing', 'one'])
  })

  it('holds no other work up for long, and gets back one place for each', async () => {
    const { begun, ask, begunOfTwo } = works(20)
    const [long, next] = ['long', 'next'].map(ask)
    await expect.poll(() => begun).toEqual(['long', 'next'])
    for (const work of [long, next]) work?.end('done')
    await Promise.all([long?.over, next?.over])
    expect(await begunOfTwo()).toEqual(['long', 'next', 'one'])
  })

  it('gives no place to others for work that waited for long: what counts is how long it is done', async () => {
    const { begun, ask } = works(100)
    const [long, waited] = ['long', 'waited'].map(ask)
    while (!begun.includes('waited')) await sleep(1)
    const next = ask('next')
    await sleep(5)
    expect(begun).toEqual(['long', 'waited'])
    for (const work of [long, waited, next]) work?.end('done')
    await next.over
  })
})

describe('a service that makes one answer at once', () => {
  const served = servedApps()

  const ids = ['first', 'second'] as const
  const triggers = ids.map((id) => ({ id, value: `{"type":"${id}"}`, state: 'valid' as const }))
  const peek = (id: (typeof ids)[number]) => `/api/triggers/v1/peek/${id}`

  /** Each trigger is looked up when a test says so. It is asked for the first one. */
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
    const bounds = { most, atOnce: 1, longMs: 100_000 }
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
    return { ask, get, first, lookups, lines, spans, counted: () => registry.metrics() }
  }

  it('makes them in the order in which they were asked for; a probe waits for none of them', async () => {
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

  it('makes none for a client that left the queue', async () => {
    const { ask, first, lookups, lines, spans, counted } = await serve()
    const queued = ask(peek('second'))
    // Nothing reports that a request is queued.
    await sleep(50)
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

  it('counts the work of a client that has left until it ends', async () => {
    const { get, first, lookups } = await serve(1)
    await first.leave()
    const status = async () => (await get('/nowhere')).status
    expect(await status()).toBe(503)
    lookups[0]?.()
    await expect.poll(status).toBe(404)
  })
})
