import { setTimeout as sleep } from 'node:timers/promises'
import { memoryPorts } from '@canopy/testkit'
import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { admission, ReadingSlots } from '../../src/limits/admission.js'
import { metricsIn, type RequestEnd } from '../../src/observe/prometheus.js'
import { openTo } from '../http/connecting.js'
import { later, logged, servedApps } from '../inProcess.js'

it('admission refuses what is beyond the bound, and reports when their number changes', () => {
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

describe('a queue that does one work at once', () => {
  /** Work that begins when it may, and ends when a test says so. */
  const works = (longMs: number) => {
    const { queue } = admission({ maxAdmitted: 100, maxConcurrent: 1, longMs, onChange: () => undefined })
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

  it('releases the slot of failed work, and reports the failure', async () => {
    const { ask, begunOfTwo } = works(100_000)
    const failing = ask('failing')
    failing.end('failed')
    await expect(failing.over).rejects.toThrow('failing failed')
    expect(await begunOfTwo()).toEqual(['failing', 'one'])
  })

  it('lets the next work begin beside long work, and releases one slot for each', async () => {
    const { begun, ask, begunOfTwo } = works(20)
    const [long, next] = ['long', 'next'].map(ask)
    await expect.poll(() => begun).toEqual(['long', 'next'])
    for (const work of [long, next]) work?.end('done')
    await Promise.all([long?.over, next?.over])
    expect(await begunOfTwo()).toEqual(['long', 'next', 'one'])
  })

  it('measures long work from its beginning, without its time in the queue', async () => {
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

  /** Requests in one packet. */
  const pipeline = (port: number, ...targets: ReadonlyArray<string>) => {
    const client = openTo(port)
    client.socket.write(targets.map((target) => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''))
    return client
  }

  it('refuses pipelined requests beyond the bound, like any other', async () => {
    const { port, lookups, counted } = await serve(3)
    const { heard } = pipeline(port, ...Array<string>(4).fill(peek('second')))
    await expect.poll(counted).toContain('canopy_requests_admitted 3')
    for (const at of [0, 1, 2]) {
      await expect.poll(() => lookups.length).toBe(at + 1)
      lookups[at]?.()
    }
    await expect.poll(() => heard().match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(['200', '200', '503', '503'])
  })

  it('logs and counts each pipelined request of a client that has left', async () => {
    const { port, lookups, lines, counted } = await serve()
    const { socket } = pipeline(port, peek('second'), peek('second'), '/nowhere')
    // No line says that a request waits.
    await sleep(50)
    socket.destroy()
    await expect.poll(() => lines.length).toBe(3)
    for (const line of lines) expect(line).toMatchObject({ msg: 'request', aborted: true })
    lookups[0]?.()
    await expect.poll(counted).toContain('canopy_requests_in_flight 0')
    expect(lookups).toHaveLength(1)
  })
})
