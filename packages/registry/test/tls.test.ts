import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Postgres, postgresIsTested, startPostgres } from '@canopy/test-support'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRegistryWriter } from '../src/admin/RegistryWriter.js'
import { readPostgresql } from '../src/postgresql.js'
import { left, openRegistryWith, patient, right } from './right.js'

const run = promisify(execFile)

/** Creates a certificate for `localhost` that is its own authority, and its key. */
const certify = (certificate: string) => {
  const subject = '-subj /CN=localhost -addext subjectAltName=DNS:localhost'
  const words = `req -x509 -newkey rsa:2048 -nodes -keyout ${certificate}.key -out ${certificate} ${subject}`
  return run('openssl', words.split(' '))
}

describe.runIf(postgresIsTested)('a registry by TLS', () => {
  let [home, own, other] = ['', '', '']
  let postgres: Postgres
  let database: URL
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'canopy-tls-'))
    own = join(home, 'server')
    other = join(home, 'other')
    await Promise.all([own, other].map(certify))
    const [cert = '', key = '', clients = ''] = await Promise.all(
      [own, `${own}.key`, other].map((file) => readFile(file, 'utf8')),
    )
    postgres = await startPostgres({ certificate: { cert, key, clients } })
    database = new URL(await postgres.newDatabase())
    await (await right(openRegistryWriter({ engine: 'PostgreSQL', connectionString: database.href }))).close()
  })
  afterAll(async () => {
    await postgres.stop()
    await rm(home, { recursive: true })
  })

  const urlOf = (host: string, parameters: string): string => {
    const url = new URL(database)
    url.hostname = host
    return `${url.href}?${parameters}`
  }

  const sessionOf = async (parameters: string): Promise<unknown> => {
    const { db } = readPostgresql(urlOf('localhost', `sslrootcert=${own}&${parameters}`), patient)
    const { rows } = await sql`select ssl, client_dn from pg_stat_ssl where pid = pg_backend_pid()`.execute(db)
    await db.destroy()
    return rows[0]
  }

  it.each(['verify-full', 'verify-ca', 'require', 'no-verify', 'disable'])('is read with sslmode=%s', async (mode) => {
    const warnings: Array<Error> = []
    const warned = (warning: Error) => warnings.push(warning)
    process.on('warning', warned)
    expect(await sessionOf(`sslmode=${mode}`)).toEqual({ ssl: mode !== 'disable', client_dn: null })
    process.off('warning', warned)
    expect(warnings).toEqual([])
  })

  it.each(['verify-full', 'verify-ca', 'require'])('is not read with sslmode=%s from another server', async (mode) => {
    const problem = async (host: string, authority: string) => {
      const connectionString = urlOf(host, `sslmode=${mode}&sslrootcert=${authority}`)
      return (await left(openRegistryWith({ engine: 'PostgreSQL', connectionString }))).message
    }
    expect(await problem('localhost', other)).toContain('self-signed certificate')
    expect(await problem('127.0.0.1', own)).toContain("IP: 127.0.0.1 is not in the cert's list")
  })

  it('sends the client certificate of sslcert and sslkey', async () => {
    const session = await sessionOf(`sslmode=verify-full&sslcert=${other}&sslkey=${other}.key`)
    expect(session).toEqual({ ssl: true, client_dn: '/CN=localhost' })
  })
})
