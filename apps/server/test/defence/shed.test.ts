import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { busyFor } from '@canopy/test-support'
import { headerOf, request, sendRaw } from '@canopy/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { everyAnswer } from '../../src/answer/everyAnswer.js'
import { type Handler, type Shedding, shed } from '../../src/defence/shed.js'

const get = (port: number, target = '/', method = 'GET') => request(port, { method, target })

describe('load shedding', () => {
  const servers: Array<Server> = []
  afterEach(() => servers.splice(0).map((server) => server.close()))

  const serve = async (handler: Handler, bounds: Partial<Shedding> = {}): Promise<number> => {
    const server = createServer(
      shed(handler, {
        maxInFlight: 2,
        maxDelayMs: 200,
        exempt: () => false,
        onShed: () => undefined,
        onInFlight: () => undefined,
        ...bounds,
      }),
    )
    servers.push(server)
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    return (server.address() as AddressInfo).port
  }

  it('ends the connection of an ambiguous request: where the next one begins is not sure', async () => {
    const port = await serve(async (_, response) => void response.end(), { maxInFlight: 0 })
    const hosts = ['x', 'y'].map((host) => `Host: ${host}\r\n`).join('')
    const refused = await sendRaw(port, `GET / HTTP/1.1\r\n${hosts}\r\n`)
    expect([refused.status, headerOf(refused, 'Connection')]).toEqual([503, 'close'])
  })

  it('refuses with 503, at once and in the envelope, what comes beyond the bound', async () => {
    let finish = (): void => undefined
    const finished = new Promise<void>((done) => {
      finish = done
    })
    let shedCount = 0
    const port = await serve(
      async (_, response) => {
        await finished
        response.end('done')
      },
      { onShed: () => (shedCount += 1) },
    )
    const worked = [get(port), get(port)]
    await sleep(50)
    const refused = await get(port)
    expect([refused.status, refused.body.toString()]).toEqual([503, '{"type":"error","error":"overloaded"}'])
    expect([headerOf(refused, 'Retry-After'), headerOf(refused, 'Cache-Control')]).toEqual(['1', 'no-store'])
    expect(refused.headers).toEqual(expect.arrayContaining(Object.entries(everyAnswer)))
    expect(headerOf(refused, 'X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/)
    const head = await request(port, {
      method: 'HEAD',
      target: '/',
      headers: [
        ['Host', 'x'],
        ['X-Request-Id', 'mine-1234'],
      ],
    })
    expect([head.body.length, headerOf(head, 'X-Request-Id')]).toEqual([0, 'mine-1234'])
    const odd = await request(port, {
      method: 'GET',
      target: '/',
      headers: [
        ['Host', 'x'],
        ['X-Request-Id', 'cnp_of-mine'],
      ],
    })
    expect(headerOf(odd, 'X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/)
    finish()
    expect((await Promise.all(worked)).map(({ status }) => status)).toEqual([200, 200])
    expect((await get(port)).status).toBe(200)
    expect(shedCount).toBe(3)
  })

  it('tells how many are at work, also those whose clients have left, and not what it refuses or exempts', async () => {
    const told: Array<number> = []
    const ends: Array<() => void> = []
    const port = await serve(
      ({ url }, response) =>
        new Promise<void>((done) => {
          const end = () => {
            response.end()
            done()
          }
          if (url === '/healthz') end()
          else ends.push(end)
        }),
      { exempt: ({ url }) => url === '/healthz', onInFlight: (inFlight) => told.push(inFlight) },
    )
    const leaving = new AbortController()
    const left = fetch(`http://127.0.0.1:${port}/`, { signal: leaving.signal }).catch(() => 'left')
    await expect.poll(() => ends.length).toBe(1)
    leaving.abort()
    expect(await left).toBe('left')
    const working = get(port)
    await expect.poll(() => ends.length).toBe(2)
    expect([(await get(port)).status, (await get(port, '/healthz')).status]).toEqual([503, 200])
    expect(told).toEqual([1, 2])
    for (const end of ends) end()
    await working
    await expect.poll(() => told).toEqual([1, 2, 1, 0])
  })

  it('does not count a response that only waits for its reader', async () => {
    const port = await serve(async (_, response) => {
      response.write('begun')
      setTimeout(() => response.end(), 300)
    })
    const slow = [get(port), get(port), get(port)]
    expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([200, 200, 200])
  })

  it('lets exempt requests through', async () => {
    const port = await serve(async (_, response) => void response.end('ok'), {
      maxInFlight: 0,
      exempt: ({ url }) => url === '/healthz',
    })
    expect([(await get(port)).status, (await get(port, '/healthz')).status]).toEqual([503, 200])
  })

  it('leaves every place to the others while exempt requests are worked on', async () => {
    const held: Array<() => void> = []
    const port = await serve(
      async ({ url }, response) => {
        if (url === '/readyz') await new Promise<void>((done) => held.push(done))
        response.end('ok')
      },
      { maxInFlight: 1, exempt: ({ url }) => url === '/readyz' },
    )
    const probed = get(port, '/readyz')
    while (held.length === 0) await sleep(10)
    expect((await get(port)).status).toBe(200)
    for (const finish of held) finish()
    expect((await probed).status).toBe(200)
  })

  const whileLate = async <A>(ask: () => Promise<A>): Promise<A> => {
    const busy = setInterval(() => busyFor(200), 1)
    await sleep(300)
    const answer = await ask()
    clearInterval(busy)
    return answer
  }

  it('refuses while the event loop is late with much at work, and no longer', async () => {
    const held: Array<() => void> = []
    let shedCount = 0
    const port = await serve(
      (request, response) =>
        new Promise((done) => {
          const finish = () => {
            response.end('ok')
            done()
          }
          if (request.url === '/held') held.push(finish)
          else finish()
        }),
      { maxInFlight: 100, maxDelayMs: 50, onShed: () => (shedCount += 1) },
    )
    const working = Array.from({ length: 8 }, () => get(port, '/held'))
    while (held.length < 8) await sleep(10)
    expect((await whileLate(() => get(port))).status).toBe(503)
    expect(shedCount).toBe(1)
    while ((await get(port)).status !== 200) await sleep(20)
    for (const finish of held) finish()
    expect((await Promise.all(working)).every(({ status }) => status === 200)).toBe(true)
  })

  it('refuses nobody for a late event loop when next to nothing is at work', async () => {
    const port = await serve(async (_, response) => void response.end('ok'), { maxDelayMs: 50 })
    expect((await whileLate(() => get(port))).status).toBe(200)
  })
})
