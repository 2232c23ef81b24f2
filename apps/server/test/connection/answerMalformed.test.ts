import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { countTicks } from '@canopy/test-support'
import { afterEach, describe, expect, it } from 'vitest'
import { answerMalformed, type OnMalformed } from '../../src/connection/answerMalformed.js'
import { oneByOne } from '../../src/connection/oneByOne.js'

const many = 40

const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

/** A connection of nobody. */
const unconnected = () => new Duplex({ read: () => undefined, write: (_, __, written) => written() }) as Socket

const turns = async (count: number) => {
  for (const _ of Array(count)) await turn()
}

const ranOut = () => Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })

describe('connections whose time runs out', () => {
  const ends: Array<() => void> = []
  afterEach(() => {
    for (const end of ends.splice(0)) end()
  })

  const done: RequestListener = (_, response) => void response.end('done')

  const started = async (onMalformed: OnMalformed, handler = done) => {
    const server = createServer(oneByOne(handler)).listen(0, '127.0.0.1')
    server.on('clientError', answerMalformed(onMalformed))
    await once(server, 'listening')
    ends.push(() => server.close())
    return server
  }

  it('are answered a few in a round of the event loop, so that nobody waits behind all of them', async () => {
    const rounds = countTicks()
    ends.push(rounds.stop)
    const answeredIn: Array<number> = []
    const server = await started(() => answeredIn.push(rounds.count()))
    const connected = async () => {
      const taken = once(server, 'connection')
      const ours = connect((server.address() as AddressInfo).port, '127.0.0.1')
      ends.push(() => ours.destroy())
      const [theirs] = await taken
      return { theirs, received: text(ours) }
    }
    const connections = []
    for (const _ of Array(many)) connections.push(await connected())
    for (const { theirs } of connections) server.emit('clientError', ranOut(), theirs)
    expect(answeredIn).toEqual([])
    for (const { received } of connections) expect(await received).toContain('HTTP/1.1 408 Request Timeout')
    expect(answeredIn).toHaveLength(many)
    for (const round of answeredIn) expect(answeredIn.filter((other) => other === round).length).toBeLessThan(many / 4)
  })

  it('have time until their turn: a request that is read before it is answered as any other', async () => {
    const codes: Array<string | undefined> = []
    const server = await started((_, __, code) => codes.push(code))
    server.prependOnceListener('request', ({ socket }) => server.emit('clientError', ranOut(), socket))
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    ends.push(() => socket.destroy())
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'data')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(await text(socket)).toContain('200 OK')
    expect(codes).toEqual([])
  })

  it('end behind the answer where only the head has come meanwhile: its body might take for ever', async () => {
    const codes: Array<string | undefined> = []
    const server = await started((_, __, code) => codes.push(code))
    server.prependOnceListener('request', ({ socket }) => server.emit('clientError', ranOut(), socket))
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    ends.push(() => socket.destroy())
    const answered = text(socket)
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n')
    const more = setInterval(() => socket.write('x'), 100)
    ends.push(() => clearInterval(more))
    expect(await answered).toMatch(/^HTTP\/1\.1 200 OK.*done$/s)
    expect(codes).toEqual([])
  })

  it('are given up for what was so when their time ran out: a request that waited then was not read', async () => {
    const codes: Array<string | undefined> = []
    const responses: Array<ServerResponse> = []
    const server = await started(
      (_, __, code) => codes.push(code),
      (_, response) => void responses.push(response),
    )
    const taken = once(server, 'connection')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    ends.push(() => socket.destroy())
    const [theirs] = await taken
    socket.write(get.repeat(2))
    await expect.poll(() => responses.length).toBe(1)
    // Its turn comes before that of those whose time has run out.
    responses[0]?.once('close', () => setImmediate(() => responses[1]?.end('second')))
    for (const _ of Array(many)) server.emit('clientError', ranOut(), unconnected())
    server.emit('clientError', ranOut(), theirs)
    responses[0]?.end('first')
    await expect.poll(() => responses[1]?.writableFinished).toBe(true)
    await turns(many)
    expect(theirs.writable).toBe(true)
    expect(codes).toHaveLength(many)
  })
})

describe('what is malformed', () => {
  it('is answered at once, whoever else has run out of time', async () => {
    const told: Array<string | undefined> = []
    const handle = answerMalformed((_, __, code) => told.push(code))
    for (const _ of Array(many)) handle(ranOut(), unconnected())
    handle(Object.assign(new Error('Parse Error'), { code: 'HPE_INVALID_METHOD' }), unconnected())
    expect(told).toEqual(['HPE_INVALID_METHOD'])
    await turns(many)
  })

  it('is not what a connection says that was reset: nobody is answered', () => {
    const told: Array<string | undefined> = []
    const socket = unconnected()
    socket.destroy()
    answerMalformed((_, __, code) => told.push(code))(Object.assign(new Error(), { code: 'ECONNRESET' }), socket)
    expect(told).toEqual([])
  })
})
