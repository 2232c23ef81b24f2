import { createHash } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { headerOf, memoryPorts, request, type World } from '@canopy/testkit'
import { pipe } from 'fp-ts/lib/function.js'
import pino from 'pino'
import { Registry } from 'prom-client'
import { describe, expect, it, vi } from 'vitest'
import { unreadBytes } from '../../src/limits/unreadBytes.js'
import { metricsIn } from '../../src/observe/prometheus.js'
import { servedApps } from '../servedApps.js'

const kib = 1024

describe('the memory of answers that clients have not read', () => {
  const serving = (bytes: number, patienceMs = 0) => {
    let cuts = 0
    const roomFor = unreadBytes({ bytes, patienceMs }, () => {
      cuts += 1
    })
    /** A client that does not read until it is asked to, or is cut: reset, or a body of HTTP/1.0 would look whole. */
    const client = (body: object, size: number, writableLength = 1) => {
      const response = Object.assign(new EventEmitter(), {
        destroyed: false,
        writableLength,
        socket: { resetAndDestroy: () => gone() },
      })
      const gone = () => {
        response.destroyed = true
        response.emit('close')
      }
      // No more of a response is looked at.
      const isSent = roomFor(body, size, response as unknown as ServerResponse)
      return { isSent, isCut: () => response.destroyed, reads: () => response.emit('close') }
    }
    return { client, roomFor, cuts: () => cuts }
  }

  it('is bounded: who reads what was asked for the longest time ago is cut', () => {
    const { client, cuts } = serving(300 * kib)
    const clients = [1, 2, 3].map(() => client({}, 100 * kib))
    expect(clients.map(({ isCut }) => isCut())).toEqual([false, false, false])
    const last = client({}, 150 * kib)
    expect([...clients, last].map(({ isCut }) => isCut())).toEqual([true, true, false, false])
    expect(cuts()).toBe(2)
  })

  it('is none for what is new, while no client has had its time to read', () => {
    const { client, cuts } = serving(300 * kib, 60_000)
    const clients = [1, 2, 3, 4].map(() => client({}, 100 * kib))
    expect(clients.map(({ isSent }) => isSent)).toEqual([true, true, true, false])
    expect(cuts()).toBe(0)
    clients[1]?.reads()
    expect(client({}, 100 * kib).isSent).toBe(true)
  })

  it('is made by cutting clients that have had that time, and no other', () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const { client } = serving(300 * kib, 5_000)
      const first = client({}, 100 * kib)
      vi.advanceTimersByTime(1)
      const second = client({}, 100 * kib)
      vi.advanceTimersByTime(4_998)
      expect(client({}, 200 * kib).isSent).toBe(false)
      vi.advanceTimersByTime(1)
      expect(client({}, 200 * kib).isSent).toBe(true)
      expect([first.isCut(), second.isCut()]).toEqual([true, false])
    } finally {
      vi.useRealTimers()
    }
  })

  it('is not taken from who has read all that was made so far: there it is this server that is late', () => {
    const { client } = serving(300 * kib)
    const reader = client({}, 100 * kib, 0)
    const sleeper = client({}, 100 * kib)
    expect([client({}, 200 * kib).isSent, reader.isCut(), sleeper.isCut()]).toEqual([true, false, true])
    expect(client({}, 300 * kib).isSent).toBe(false)
    expect(reader.isCut()).toBe(false)
  })

  it('is needed once for what many read: the next one is always sent', () => {
    const { client } = serving(100 * kib, 60_000)
    const shared = {}
    expect([client(shared, 100 * kib).isSent, client(shared, 100 * kib).isSent]).toEqual([true, true])
  })

  it('is free again once it has been read', () => {
    const { client } = serving(200 * kib)
    const first = client({}, 100 * kib)
    const second = client({}, 100 * kib)
    second.reads()
    client({}, 100 * kib)
    expect(first.isCut()).toBe(false)
  })

  it('counts what many read once, and takes it for as new as its last reader', () => {
    const { client, cuts } = serving(200 * kib)
    const shared = {}
    const readers = [1, 2, 3].map(() => client(shared, 100 * kib))
    const alone = client({}, 100 * kib)
    readers.push(client(shared, 100 * kib))
    readers[0]?.reads()
    client({}, 100 * kib)
    expect(alone.isCut()).toBe(true)
    expect(readers.some(({ isCut }) => isCut())).toBe(false)
    client({}, 200 * kib)
    expect(readers.map(({ isCut }) => isCut())).toEqual([false, true, true, true])
    expect(cuts()).toBe(5)
  })

  it('still counts what the last of several readers has read and the others have not', () => {
    const { client } = serving(200 * kib)
    const shared = {}
    const first = client(shared, 100 * kib)
    client(shared, 100 * kib).reads()
    const second = client({}, 100 * kib)
    expect([first.isCut(), second.isCut()]).toEqual([false, false])
    const third = client({}, 100 * kib)
    expect([first.isCut(), second.isCut(), third.isCut()]).toEqual([true, false, false])
  })

  it('is counted again when the same is asked for later', () => {
    const { client } = serving(200 * kib)
    const shared = {}
    client(shared, 100 * kib).reads()
    const again = client(shared, 100 * kib)
    const others = [client({}, 100 * kib), client({}, 100 * kib)]
    expect([again, ...others].map(({ isCut }) => isCut())).toEqual([true, false, false])
  })

  it('has room for one that is larger than all of it, alone', () => {
    const { client } = serving(200 * kib)
    const huge = [client({}, 900 * kib)]
    expect(huge.map(({ isCut }) => isCut())).toEqual([false])
    huge.push(client({}, 900 * kib))
    expect(huge.map(({ isCut }) => isCut())).toEqual([true, false])
  })

  it('does not count what is small, nor who has left before', () => {
    const { client, roomFor } = serving(64 * kib)
    const large = client({}, 64 * kib)
    client({}, 64 * kib - 1)
    const left = Object.assign(new EventEmitter(), { destroyed: true })
    // Nor of one that is gone.
    roomFor({}, 64 * kib, left as unknown as ServerResponse)
    expect(large.isCut()).toBe(false)
    client({}, 64 * kib)
    expect(large.isCut()).toBe(true)
  })

  it('makes room at once, however many have to go and however many read what stays', () => {
    const { client, cuts } = serving(2000 * 64 * kib)
    const shared = {}
    for (let index = 0; index < 1999; index++) client({}, 64 * kib)
    for (let index = 0; index < 8000; index++) client(shared, 64 * kib)
    const began = performance.now()
    client({}, 1999 * 64 * kib)
    expect(performance.now() - began).toBeLessThan(200)
    expect(cuts()).toBe(1999)
  })

  it('is not bounded by 0', () => {
    const { client } = serving(0)
    const clients = [1, 2].map(() => client({}, 2 ** 40))
    expect(clients.some(({ isCut }) => isCut())).toBe(false)
  })
})

describe('a service whose clients do not read', () => {
  const serve = servedApps()
  const token = `cnp_${'a'.repeat(42)}A`
  // More than the system itself takes, also when it is compressed.
  const nameOf = (seed: string): string =>
    [1, 2].map((part) => createHash('sha512').update(`${seed} ${part}`).digest('base64url')).join('')
  const filesOf = (directory: string) =>
    Array.from(
      { length: 40_000 },
      (_, index) => ({ type: 'file', name: nameOf(`${directory} ${index}`), size: 1n, last_modified: 1n }) as const,
    )
  const world: World = {
    accounts: [
      {
        id: '1',
        verified: true,
        tokens: [{ token, scope: '/', state: 'valid' }],
        settings: [],
        area: ['a', 'b'].map((name) => ({ type: 'dir', name, last_modified: 1n, content: filesOf(name) }) as const),
      },
    ],
    triggers: [],
  }
  const target = (operation: string, name: string) => `/api/storage/v1/${operation}/${token}/${name}`

  const asking = async (port: number, path: string, coding: string, version: string) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(`GET ${path} HTTP/${version}\r\nHost: x\r\nConnection: close\r\nAccept-Encoding: ${coding}\r\n\r\n`)
    // Its first bytes, and no others.
    await once(socket, 'readable')
    return socket
  }

  type Case = readonly [operation: string, coding: string, version: string, bytes: number]
  const cases: ReadonlyArray<Case> = [
    ['diritems', 'identity', '1.1', 12_000_000],
    ['tree', 'identity', '1.1', 2_000_000],
    ['tree', 'identity', '1.0', 2_000_000],
    ['tree', 'gzip', '1.1', 3_000_000],
  ]

  const besideSlowOne = async ([operation, coding, version, bytes]: Case, patienceMs: number, method = 'GET') => {
    const registry = new Registry()
    const lines: Array<string> = []
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })
    const options = { unread: { bytes, patienceMs }, log, metrics: metricsIn(registry) }
    const { port } = await serve(memoryPorts(world), options)
    const slow = await asking(port, target(operation, 'a'), coding, version)
    const closed = new Promise((resolve) => slow.once('close', resolve))
    const askNext = () =>
      request(port, {
        method,
        target: target(operation, 'b'),
        headers: [
          ['Host', 'x'],
          ['Accept-Encoding', coding],
        ],
      })
    return { registry, lines, slow, closed, askNext }
  }

  it.each(cases)('cuts the one that has waited longest, and answers the next: %s, %s, HTTP/%s', async (...of) => {
    const { registry, lines, slow, closed, askNext } = await besideSlowOne(of, 0)
    // The system itself takes some, before the first one waits for its client.
    await expect
      .poll(async () => pipe(await askNext(), ({ status, complete }) => [status, complete]), { timeout: 20_000 })
      .toEqual([200, true])
    slow.resume()
    await closed
    await expect.poll(() => lines.filter((line) => line.includes('"aborted":true')).length).toBe(1)
    await expect.poll(() => lines.some((line) => line.includes('"cut":1'))).toBe(true)
    expect(await registry.metrics()).toContain('\ncanopy_requests_cut_total 1\n')
  })

  it.each(cases)('is overloaded for the next while the first may still read: %s, %s, HTTP/%s', async (...of) => {
    const { lines, slow, closed, askNext } = await besideSlowOne(of, 60_000)
    const next = await askNext()
    expect([next.status, headerOf(next, 'Retry-After'), next.body.toString()]).toEqual([
      503,
      '1',
      '{"type":"error","error":"overloaded"}',
    ])
    await expect.poll(() => lines.some((line) => line.includes('"refused":1'))).toBe(true)
    slow.resume()
    await closed
    expect(lines.some((line) => line.includes('"aborted"'))).toBe(false)
  })

  it.each(cases)('answers HEAD all the same: %s, %s, HTTP/%s', async (...of) => {
    const { slow, askNext } = await besideSlowOne(of, 60_000, 'HEAD')
    const next = await askNext()
    expect([next.status, next.body.length]).toEqual([200, 0])
    slow.destroy()
  })
})
