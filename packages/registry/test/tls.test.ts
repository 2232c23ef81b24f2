import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findPostgres, type Postgres, startPostgres } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRegistryWriter } from '../src/admin/RegistryWriter.js'
import { readPostgresql } from '../src/postgresql.js'
import { left, openRegistryWith, patient, right } from './right.js'

const run = promisify(execFile)

interface Certified {
  /** Files. */
  readonly authority: string
  readonly cert: string
  readonly key: string
}

/** Creates an authority and its certificate for `localhost`. */
const certified = async (home: string, name: string): Promise<Certified> => {
  const [authority = '', key = '', cert = '', request] = ['ca', 'key', 'cert', 'csr'].map((kind) =>
    join(home, `${name}.${kind}`),
  )
  const openssl = (...words: ReadonlyArray<string | undefined>) =>
    run(
      'openssl',
      words.flatMap((word) => word ?? []),
      { cwd: home },
    )
  const newKey = (file: string) => ['-newkey', 'rsa:2048', '-nodes', '-keyout', file]
  await openssl('req', '-x509', ...newKey(`${name}.cakey`), '-out', authority, '-subj', `/CN=${name}`)
  await openssl('req', ...newKey(`${name}.key`), '-out', request, '-subj', '/CN=localhost')
  await writeFile(join(home, 'names'), 'subjectAltName=DNS:localhost')
  const by = ['-CA', authority, '-CAkey', `${name}.cakey`, '-CAcreateserial', '-extfile', 'names']
  await openssl('x509', '-req', '-in', request, ...by, '-out', cert)
  return { authority, cert, key }
}

// CI requires PostgreSQL.
describe.runIf(E.isRight(findPostgres(process.env)) || process.env['CI'] === 'true')('a registry by TLS', () => {
  let home = ''
  let postgres: Postgres
  let database: URL
  let [authority, other] = ['', '']
  let client: Certified
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'canopy-tls-'))
    const server = await certified(home, 'server')
    authority = server.authority
    client = await certified(home, 'other')
    other = client.authority
    const [cert = '', key = '', clients = ''] = await Promise.all(
      [server.cert, server.key, client.authority].map((file) => readFile(file, 'utf8')),
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

  it.each(['verify-full', 'verify-ca', 'require', 'no-verify', 'disable'])('is read with sslmode=%s', async (mode) => {
    const warnings: Array<Error> = []
    const warned = (warning: Error) => warnings.push(warning)
    process.on('warning', warned)
    const { db } = readPostgresql(urlOf('localhost', `sslmode=${mode}&sslrootcert=${authority}`), patient)
    const { rows } = await sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(db)
    expect(rows).toEqual([{ ssl: mode !== 'disable' }])
    await db.destroy()
    process.off('warning', warned)
    expect(warnings).toEqual([])
  })

  it.each(['verify-full', 'verify-ca', 'require'])('is not read with sslmode=%s from another server', async (mode) => {
    const problem = async (host: string, file: string) => {
      const connectionString = urlOf(host, `sslmode=${mode}&sslrootcert=${file}`)
      return (await left(openRegistryWith({ engine: 'PostgreSQL', connectionString }))).message
    }
    expect(await problem('localhost', other)).toContain('unable to verify the first certificate')
    expect(await problem('127.0.0.1', authority)).toContain("IP: 127.0.0.1 is not in the cert's list")
  })

  it('sends the client certificate of sslcert and sslkey', async () => {
    const parameters = `sslrootcert=${authority}&sslcert=${client.cert}&sslkey=${client.key}`
    const { db } = readPostgresql(urlOf('localhost', `sslmode=verify-full&${parameters}`), patient)
    const { rows } = await sql`select client_dn from pg_stat_ssl where pid = pg_backend_pid()`.execute(db)
    expect(rows).toEqual([{ client_dn: '/CN=localhost' }])
    await db.destroy()
  })
})
