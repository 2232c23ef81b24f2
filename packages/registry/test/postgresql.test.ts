import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PostgresqlPool } from '../src/postgresqlPool.js'
import { patient } from './right.js'

/** Accepts connections instead of PostgreSQL. */
const listening = async (onSocket: (socket: Socket) => void) => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)))
    onSocket(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `postgres://canopy:secret@127.0.0.1:${(server.address() as AddressInfo).port}/canopy`,
    sockets,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** A request for a password (postgresql.org/docs/current/protocol-message-formats.html). */
const authentication = (kind: number, data: string): Buffer => {
  const message = Buffer.alloc(9 + data.length)
  message.write('R')
  message.writeInt32BE(8 + data.length, 1)
  message.writeInt32BE(kind, 5)
  message.write(data, 9, 'latin1')
  return message
}

const [sasl, saslContinue] = [10, 11]

/** Asks for a password like PostgreSQL, and waits for it. */
const asksForPassword = (socket: Socket): void => {
  socket.once('data', () => {
    socket.write(authentication(sasl, 'SCRAM-SHA-256\0\0'))
    socket.once('data', () => socket.write(authentication(saslContinue, 'r=nonce,s=c2FsdA==,i=4096')))
  })
}

const failureOf = (connecting: Promise<unknown>): Promise<string> =>
  connecting.then(
    () => 'it is connected',
    (cause: Error) => cause.message,
  )

describe('a pool of connections', () => {
  it('closes a connection that it refuses, for example after a wrong nonce', async () => {
    const there = await listening(asksForPassword)
    const pool = new PostgresqlPool(there.url, patient)
    for (const _ of [1, 2, 3, 4, 5])
      expect(await failureOf(pool.connect())).toContain('server nonce does not start with client nonce')
    await expect.poll(() => there.sockets.size).toBe(0)
    await pool.end()
    there.close()
  })

  it('only fails to connect if the file of a certificate is missing', async () => {
    const home = await mkdtemp(join(tmpdir(), 'canopy-pool-'))
    const certificate = join(home, 'ca.pem')
    await writeFile(certificate, '')
    const there = await listening(() => undefined)
    const pool = new PostgresqlPool(`${there.url}?sslmode=verify-full&sslrootcert=${certificate}`, patient)
    const asked = [1, 2, 3, 4, 5].map(() => failureOf(pool.connect()))
    await expect.poll(() => there.sockets.size).toBe(patient.maxConnections)
    await rm(home, { recursive: true })
    // A caller who waits for a free connection gets a new one after a failure.
    for (const socket of there.sockets) socket.destroy()
    const [, , ...others] = await Promise.all(asked)
    for (const other of others) expect(other).toContain('ENOENT')
    expect(await failureOf(pool.connect())).toContain('ENOENT')
    await pool.end()
    there.close()
  })
})
