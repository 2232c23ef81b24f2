import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { readPostgresql, writePostgresql } from '../src/postgresql.js'
import { PostgresqlPool } from '../src/postgresqlPool.js'
import { patient } from './right.js'

/** Something that accepts connections, where PostgreSQL should be. */
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

/** `R`, asking for a password in one way or another (postgresql.org/docs/current/protocol-message-formats.html). */
const authentication = (kind: number, data: string): Buffer => {
  const message = Buffer.alloc(9 + data.length)
  message.write('R')
  message.writeInt32BE(8 + data.length, 1)
  message.writeInt32BE(kind, 5)
  message.write(data, 9, 'latin1')
  return message
}

const [sasl, saslContinue] = [10, 11]

/** As PostgreSQL asks for a password, and then waits for it. */
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
  it('leaves none open that it gave up itself, as where it is asked for the password in no way that it trusts', async () => {
    const there = await listening(asksForPassword)
    const pool = new PostgresqlPool(there.url, patient)
    for (const _ of [1, 2, 3, 4, 5])
      expect(await failureOf(pool.connect())).toContain('server nonce does not start with client nonce')
    await expect.poll(() => there.sockets.size).toBe(0)
    await pool.end()
    there.close()
  })

  it('fails to connect, and nothing else, when the file of a certificate is gone', async () => {
    const home = await mkdtemp(join(tmpdir(), 'canopy-pool-'))
    const certificate = join(home, 'ca.pem')
    await writeFile(certificate, '')
    const there = await listening(() => undefined)
    const pool = new PostgresqlPool(`${there.url}?sslmode=verify-full&sslrootcert=${certificate}`, patient)
    const asked = [1, 2, 3, 4, 5].map(() => failureOf(pool.connect()))
    await expect.poll(() => there.sockets.size).toBe(patient.maxConnections)
    await rm(home, { recursive: true })
    // One who waits for a connection of others gets a new one when theirs has failed.
    for (const socket of there.sockets) socket.destroy()
    const [, , ...others] = await Promise.all(asked)
    for (const other of others) expect(other).toContain('ENOENT')
    expect(await failureOf(pool.connect())).toContain('ENOENT')
    await pool.end()
    there.close()
  })
})

describe('the variables that the driver takes from the environment', () => {
  const variablesRead = async (open: typeof writePostgresql): Promise<ReadonlyArray<string>> => {
    const environment = process.env
    const names = new Set<string>()
    process.env = new Proxy(
      { ...environment, PGHOST: '127.0.0.1', PGPORT: '1' },
      {
        get: (all: NodeJS.ProcessEnv, name: string) => {
          names.add(name)
          return all[name]
        },
      },
    )
    const { db } = open('postgres:///canopy', patient)
    await expect(sql`select 1`.execute(db)).rejects.toThrow('ECONNREFUSED')
    process.env = environment
    await db.destroy()
    return [...names].filter((name) => name.startsWith('PG') && name !== 'PGPASSFILE').sort()
  }

  it('are those that the documentation names', async () => {
    const page = await readFile(new URL('../../../docs/configuration.md', import.meta.url), 'utf8')
    const sentence = /^Parts that the URL omits[\s\S]*?PGOPTIONS/m.exec(page)?.[0] ?? ''
    const named = sentence.match(/PG[A-Z_]+/g)?.filter((name) => name !== 'PGPASSFILE') ?? []
    for (const open of [writePostgresql, readPostgresql]) expect(await variablesRead(open)).toEqual([...named].sort())
  })
})
