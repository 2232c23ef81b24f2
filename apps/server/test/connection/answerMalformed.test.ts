import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { countRounds } from '@canopy/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { answerMalformed, type OnMalformed } from '../../src/connection/answerMalformed.js'
import { oneByOne } from '../../src/connection/oneByOne.js'

const many = 40

const ranOut = () => Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })

describe('connections whose time runs out', () => {
  const ends: Array<() => void> = []
  afterEach(() => {
    for (const end of ends.splice(0)) end()
  })

  const started = async (onMalformed: OnMalformed) => {
    const server = createServer(oneByOne((_, response) => void response.end('done'))).listen(0, '127.0.0.1')
    server.on('clientError', answerMalformed(onMalformed))
    await once(server, 'listening')
    ends.push(() => server.close())
    return server
  }

  it('are answered a few in a round of the event loop, so that nobody waits behind all of them', async () => {
    const rounds = countRounds()
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
})
