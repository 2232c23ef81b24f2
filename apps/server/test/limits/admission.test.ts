import { setTimeout as sleep } from 'node:timers/promises'
import { headerOf, memoryPorts, request } from '@canopy/testkit'
import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { everyAnswer } from '../../src/http/answers.js'
import { type AdmissionOptions, admission } from '../../src/limits/admission.js'
import type { Ended } from '../../src/observe/prometheus.js'
import { metricsIn } from '../../src/observe/prometheus.js'
import type { ServerEnv } from '../../src/server.js'
import { later } from '../later.js'
import { logged } from '../logs.js'
import { servedApps } from '../servedApps.js'

const never = 100_000

describe('admission', () => {
  it('refuses what is beyond the bound, and says whenever their number changes', () => {
    const numbers: Array<number> = []
    const { enter, leave } = admission({ most: 2, atOnce: 1, longMs: never, onChange: (n) => numbers.push(n) })
    expect([enter(), enter(), enter()]).toEqual([true, true, false])
    leave()
    expect(enter()).toBe(true)
    expect(numbers).toEqual([1, 2, 1, 2])
  })
})

describe('the queue', () => {
  /** Work that begins when it may, and ends when a test says so. */
  const works = ({ atOnce, longMs }: Pick<AdmissionOptions, 'atOnce' | 'longMs'>) => {
    const { queue } = admission({ most: 100, atOnce, longMs, onChange: () => undefined })
    const begun: Array<string> = []
    const ask = (name: string) => {
      const { value, give } = later<'done' | 'failed'>()
      const over = queue(async () => {
        begun.push(name)
        if ((await value) === 'failed') throw new Error(`${name} failed`)
      })
      return { over, end: give }
    }
    return { begun, ask }
  }

  it('begin as they come; the others in their order, one for each that ended', async () => {
    const { begun, ask } = works({ atOnce: 2, longMs: never })
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(ask)
    await sleep(5)
    expect(begun).toEqual(['a', 'b'])
    b?.end('done')
    await b?.over
    await sleep(5)
    expect(begun).toEqual(['a', 'b', 'c'])
    for (const work of [a, c, d]) work?.end('done')
    await d?.over
    expect(begun).toEqual(['a', 'b', 'c', 'd'])
  })

  it('are as few again once no request is queued', async () => {
    const { begun, ask } = works({ atOnce: 1, longMs: never })
    for (const name of ['a', 'b']) {
      const { over, end } = ask(name)
      end('done')
      await over
    }
    const [c, d] = ['c', 'd'].map(ask)
    await sleep(5)
    expect(begun).toEqual(['a', 'b', 'c'])
    for (const work of [c, d]) work?.end('done')
    await d?.over
  })

  it('give their places back also where they fail, and report the failure', async () => {
    const { begun, ask } = works({ atOnce: 1, longMs: never })
    const [a, b] = ['a', 'b'].map(ask)
    a?.end('failed')
    await expect(a?.over).rejects.toThrow('a failed')
    b?.end('done')
    await b?.over
    expect(begun).toEqual(['a', 'b'])
  })

  it('hold no other work up for long, and give back one place each', async () => {
    const { begun, ask } = works({ atOnce: 1, longMs: 20 })
    const [long, next] = ['long', 'next'].map(ask)
    await expect.poll(() => begun).toEqual(['long', 'next'])
    for (const work of [long, next]) work?.end('done')
    await Promise.all([long?.over, next?.over])
    const [a, b] = ['a', 'b'].map(ask)
    await sleep(5)
    expect(begun).toEqual(['long', 'next', 'a'])
    for (const work of [a, b]) work?.end('done')
    await b?.over
  })

  it('are no more after those that were short', async () => {
    const { begun, ask } = works({ atOnce: 1, longMs: 20 })
    for (const name of ['a', 'b', 'c']) {
      const { over, end } = ask(name)
      end('done')
      await over
    }
    await sleep(40)
    const [d, e] = ['d', 'e'].map(ask)
    await sleep(5)
    expect(begun).toEqual(['a', 'b', 'c', 'd'])
    for (const work of [d, e]) work?.end('done')
    await e?.over
  })

  it('are no more after one that waited for long: what counts is how long it is at work', async () => {
    const { begun, ask } = works({ atOnce: 1, longMs: 100 })
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

  /** Each trigger is looked up when a test says so. */
  const serve = async (admission: ServerEnv['admission'] = { most: 100, atOnce: 1, longMs: never }) => {
    const memory = memoryPorts({ accounts: [], triggers })
    const lookups: Array<() => void> = []
    const ports = {
      ...memory,
      triggerOf: (id: Parameters<typeof memory.triggerOf>[0]) => async () => {
        const { value, give } = later()
        lookups.push(give)
        await value
        return memory.triggerOf(id)()
      },
    }
    const { lines, log } = logged()
    const registry = new Registry()
    const spans: Array<Ended> = []
    const tracing = {
      begin: () => ({ recorded: undefined, end: (end: Ended) => void spans.push(end) }),
      stop: () => Promise.resolve(),
    }
    const observing = { metrics: metricsIn(registry), tracing, log }
    const { port } = await served(ports, { ...observing, cacheBytes: 0, admission })
    const ask = (target: string, signal?: AbortSignal) =>
      fetch(`http://127.0.0.1:${port}${target}`, signal === undefined ? {} : { signal })
    return { ask, lookups, lines, port, spans, counted: () => registry.metrics() }
  }

  const peek = (id: string) => `/api/triggers/v1/peek/${id}`

  it('makes them in the order in which they were asked for; a probe waits for none of them', async () => {
    const { ask, lookups, port } = await serve()
    const first = ask(peek('first'))
    await expect.poll(() => lookups.length).toBe(1)
    const second = ask(peek('second'))
    expect((await request(port, { method: 'GET', target: '/healthz' })).status).toBe(200)
    expect(lookups.length).toBe(1)
    lookups[0]?.()
    expect(await (await first).json()).toMatchObject({ value: { type: 'first' } })
    await expect.poll(() => lookups.length).toBe(2)
    lookups[1]?.()
    expect(await (await second).json()).toMatchObject({ value: { type: 'second' } })
  })

  it('makes none for a client that left while it waited, but has its line', async () => {
    const { ask, lookups, lines } = await serve()
    const first = ask(peek('first'))
    await expect.poll(() => lookups.length).toBe(1)
    const leaving = new AbortController()
    const second = ask(peek('second'), leaving.signal).catch(() => 'left')
    // No line tells that a request waits.
    await sleep(50)
    leaving.abort()
    expect(await second).toBe('left')
    await expect.poll(() => lines.length).toBe(1)
    expect(lines[0]).toMatchObject({ msg: 'request', aborted: true })
    lookups[0]?.()
    expect((await first).status).toBe(200)
    const third = ask(peek('first'))
    await expect.poll(() => lookups.length).toBe(2)
    lookups[1]?.()
    expect(await (await third).json()).toMatchObject({ value: { type: 'first' } })
  })

  it.each([
    [peek('second'), 'triggerPeek', '/api/triggers/v1/peek/[trigger]'],
    [
      '/api/usercontent/v1/diritems/id/7/photos?limit=1',
      'userContentDirItems',
      '/api/usercontent/v1/diritems/id/7/photos',
    ],
    [`/api/storage/v1/tree/cnp_${'a'.repeat(43)}/photos`, 'storageTree', '/api/storage/v1/tree/[token]/photos'],
    ['/api/storage/v1/tree/', undefined, '(no operation)'],
    ['/nowhere', undefined, '(no operation)'],
  ])('knows what a client asked that left while it waited: %s', async (asked, operation, target) => {
    const { ask, lookups, lines, spans, counted } = await serve()
    const first = ask(peek('first'))
    await expect.poll(() => lookups.length).toBe(1)
    const leaving = new AbortController()
    const second = ask(asked, leaving.signal).catch(() => 'left')
    await sleep(50)
    leaving.abort()
    expect(await second).toBe('left')
    await expect.poll(() => lines.length).toBe(1)
    expect(lines[0]).toMatchObject({ target, aborted: true })
    expect(lines[0]?.['operation']).toBe(operation)
    const named = operation ?? 'none'
    expect(spans).toMatchObject([{ operation: named, status: 'none', failure: 'none', complete: false }])
    expect(await counted()).toContain(`canopy_requests_total{operation="${named}",status="none",failure="none"} 1`)
    lookups[0]?.()
    await first
  })

  it('refuses with 503, at once and in the envelope, what comes beyond the bound; a probe it answers', async () => {
    const { ask, lookups, port } = await serve({ most: 1, atOnce: 1, longMs: never })
    const first = ask(peek('first'))
    await expect.poll(() => lookups.length).toBe(1)
    const refused = await request(port, { method: 'GET', target: peek('second') })
    expect([refused.status, refused.body.toString()]).toEqual([503, '{"type":"error","error":"overloaded"}'])
    expect([headerOf(refused, 'Retry-After'), headerOf(refused, 'Cache-Control')]).toEqual(['1', 'no-store'])
    expect(refused.headers).toEqual(expect.arrayContaining(Object.entries(everyAnswer)))
    expect((await request(port, { method: 'HEAD', target: peek('second') })).body.length).toBe(0)
    expect((await request(port, { method: 'GET', target: '/healthz' })).status).toBe(200)
    lookups[0]?.()
    expect((await first).status).toBe(200)
  })

  it('counts the work of a client that has left until it ends', async () => {
    const { ask, lookups, port } = await serve({ most: 1, atOnce: 1, longMs: never })
    const leaving = new AbortController()
    const left = ask(peek('first'), leaving.signal).catch(() => 'left')
    await expect.poll(() => lookups.length).toBe(1)
    leaving.abort()
    expect(await left).toBe('left')
    const status = async () => (await request(port, { method: 'GET', target: '/nowhere' })).status
    expect(await status()).toBe(503)
    lookups[0]?.()
    await expect.poll(status).toBe(404)
  })
})
