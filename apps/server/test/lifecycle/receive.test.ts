import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const receiver = fileURLToPath(new URL('./receiver.mjs', import.meta.url))

describe('a worker that is handed connections', () => {
  let worker: ChildProcess
  let server: Server
  let said: Array<unknown> = []

  beforeEach(async () => {
    said = []
    worker = fork(receiver, { execArgv: [] })
    worker.on('message', (word) => said.push(word))
    await once(worker, 'message')
    server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(async () => {
    worker.kill()
    await once(worker, 'exit')
    server.close()
  })

  /** Our end of a connection, and the one to hand over. */
  const connection = async (): Promise<readonly [Socket, Socket]> => {
    const taken = once(server, 'connection')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const [theirs] = await taken
    return [socket, theirs]
  }

  const next = async (): Promise<unknown> => (await once(worker, 'message'))[0]

  it('says that it has taken one, and serves it', async () => {
    const [socket, theirs] = await connection()
    const word = next()
    worker.send('connection', theirs)
    expect(await word).toBe('taken')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK.*served$/s)
  })

  it('says once that it has missed one, and serves the next', async () => {
    worker.send({ given: 1 })
    expect(await next()).toBe('missed')
    worker.send({ given: 1 })
    const [socket, theirs] = await connection()
    worker.send('connection', theirs)
    worker.send({ given: 2 })
    worker.send({ given: 3 })
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(await text(socket)).toContain('served')
    await expect.poll(() => said).toEqual(['ready', 'missed', 'taken', 'missed'])
  })
})
