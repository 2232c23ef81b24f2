import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, it, onTestFinished, vi } from 'vitest'
import { unreadBytes } from '../../src/limits/unreadBytes.js'

const kib = 1024

const serving = (bytes: number, patienceMs = 0) => {
  let cuts = 0
  const roomFor = unreadBytes({ bytes, patienceMs }, () => {
    cuts += 1
  })
  const client = (size: number, body: object = {}, writableLength = 1) => {
    const response = Object.assign(new EventEmitter(), {
      destroyed: false,
      writableLength,
      req: { socket: { remoteAddress: '127.0.0.1', resetAndDestroy: () => gone() } },
      destroy: () => undefined,
    })
    const gone = () => {
      response.destroyed = true
      response.emit('close')
    }
    const isSent = roomFor(body, size, response as unknown as ServerResponse)
    return { isSent, isCut: () => response.destroyed, reads: () => response.emit('close') }
  }
  return { client, roomFor, cuts: () => cuts }
}

const areCut = (clients: ReadonlyArray<{ readonly isCut: () => boolean }>) => clients.map(({ isCut }) => isCut())

it('a client is cut only when its patience has ended', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { client, cuts } = serving(300 * kib, 5_000)
  const shared = {}
  const first = client(100 * kib)
  vi.advanceTimersByTime(1)
  const second = client(100 * kib, shared)
  vi.advanceTimersByTime(4_998)
  expect([client(200 * kib).isSent, client(100 * kib, shared).isSent, cuts()]).toEqual([false, true, 0])
  vi.advanceTimersByTime(1)
  expect(client(200 * kib).isSent).toBe(true)
  expect(areCut([first, second])).toEqual([true, false])
})

it('a small body counts while it waits for an earlier response of its connection', () => {
  const { roomFor } = serving(kib)
  const isSent = (socket: object | null) =>
    roomFor({}, kib, Object.assign(new EventEmitter(), { socket }) as unknown as ServerResponse)
  expect([isSent({}), isSent({}), isSent(null), isSent(null)]).toEqual([true, true, true, false])
})

it('a shared body counts once, with the age of its latest request', () => {
  const { client, cuts } = serving(200 * kib)
  const shared = {}
  const readers = [1, 2, 3].map(() => client(100 * kib, shared))
  const alone = client(100 * kib)
  readers.push(client(100 * kib, shared))
  readers[0]?.reads()
  client(100 * kib)
  expect(areCut([alone, ...readers])).toEqual([true, false, false, false, false])
  client(200 * kib)
  expect(areCut(readers)).toEqual([false, true, true, true])
  expect(cuts()).toBe(5)
})

it('small bodies and clients that have left do not count', () => {
  const { client, roomFor } = serving(64 * kib)
  const large = client(64 * kib)
  client(64 * kib - 1)
  const left = Object.assign(new EventEmitter(), { destroyed: true })
  roomFor({}, 64 * kib, left as unknown as ServerResponse)
  expect(large.isCut()).toBe(false)
  client(64 * kib)
  expect(large.isCut()).toBe(true)
})
