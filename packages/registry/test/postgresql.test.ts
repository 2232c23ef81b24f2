import { rm, writeFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { listening, temporaryDirectory } from '@canopy/test-support'
import { expect, it, onTestFinished } from 'vitest'
import { PostgresqlPool } from '../src/postgresqlPool.js'
import { patient } from './right.js'

/** Accepts connections instead of PostgreSQL. */
const acceptor = async (onSocket: (socket: Socket) => void) => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)))
    onSocket(socket)
  })
  return {
    url: `postgres://canopy:secret@127.0.0.1:${await listening(server)}/canopy`,
    sockets,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Asks for a password in a way that no client knows (postgresql.org/docs/current/protocol-message-formats.html). */
const refused = (socket: Socket): void => {
  const mechanisms = 'UNKNOWN\0\0'
  const [length, sasl] = [8 + mechanisms.length, 10]
  socket.once('data', () =>
    socket.write(Buffer.from([0x52, 0, 0, 0, length, 0, 0, 0, sasl, ...Buffer.from(mechanisms)])),
  )
}

const failureOf = (connecting: Promise<unknown>): Promise<string> =>
  connecting.then(
    () => 'it is connected',
    (cause: Error) => cause.message,
  )

it('a pool of connections closes a connection when the login fails', async () => {
  const there = await acceptor(refused)
  const pool = new PostgresqlPool(there.url, patient)
  for (const _ of [1, 2, 3, 4, 5]) expect(await failureOf(pool.connect())).toContain('SASL')
  await expect.poll(() => there.sockets.size).toBe(0)
  await pool.end()
  there.close()
})

it('a pool of connections only fails to connect if the file of a certificate is missing', async () => {
  const certificate = join(temporaryDirectory(onTestFinished), 'ca.pem')
  await writeFile(certificate, '')
  const there = await acceptor(() => undefined)
  const pool = new PostgresqlPool(`${there.url}?sslmode=verify-full&sslrootcert=${certificate}`, patient)
  const asked = [1, 2, 3, 4, 5].map(() => failureOf(pool.connect()))
  await expect.poll(() => there.sockets.size).toBe(patient.maxConnections)
  await rm(certificate)
  // A caller who waits for a free connection gets a new one after a failure.
  for (const socket of there.sockets) socket.destroy()
  const [, , ...others] = await Promise.all(asked)
  for (const other of others) expect(other).toContain('ENOENT')
  expect(await failureOf(pool.connect())).toContain('ENOENT')
  await pool.end()
  there.close()
})
