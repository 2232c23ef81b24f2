import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { describe as described, fromString, hostsOf, toText } from '../src/RegistryUrl.js'

const parsed = (text: string) => fromString('/home/canopy', text)
const shown = (text: string) => E.map(described)(parsed(text))

describe('RegistryUrl', () => {
  it.each([
    ['sqlite:data/registry.db', '/home/canopy/data/registry.db'],
    ['sqlite:./registry.db', '/home/canopy/registry.db'],
    ['sqlite:../registry.db', '/home/registry.db'],
    ['sqlite:/var/lib/canopy/registry.db', '/var/lib/canopy/registry.db'],
    ['sqlite:///var/lib/canopy/registry.db', '/var/lib/canopy/registry.db'],
    ['sqlite:/a b/100%.db', '/a b/100%.db'],
  ])('%s is the SQLite file %s', (text, path) => {
    expect(parsed(text)).toEqual(E.right({ engine: 'SQLite', path }))
  })

  it.each([
    'postgres://canopy@db.example/canopy',
    'postgresql://canopy:pass%20word@db.example:5432/canopy?sslmode=verify-full',
    'postgres:///canopy?host=/run/postgresql',
    'postgres://canopy:p%2Cw@db1:5432,db2,[::1]:5433/canopy?target_session_attrs=any',
    'postgres://db/canopy?port=5432&user=u&password=p&options=-c%20a%3Db&application_name=x&sslnegotiation=direct',
    'postgres://db/canopy?sslmode=disable&sslrootcert=/ca&sslcert=/cert&sslkey=/key',
  ])('%s is a PostgreSQL database', (text) => {
    expect(parsed(text)).toEqual(E.right({ engine: 'PostgreSQL', connectionString: text }))
  })

  it.each([
    ['', 'this is not a registry URL'],
    ['data/registry.db', 'this is not a registry URL'],
    ['mysql://localhost/canopy', 'this is not a registry URL'],
    ['SQLITE:a.db', 'this is not a registry URL'],
    ['sqlite:', 'path of the SQLite file is missing'],
    ['sqlite::memory:', 'an in-memory registry'],
    ['sqlite://localhost/a.db', 'cannot have a host'],
    ['sqlite:////a.db', 'cannot have a host'],
    ['sqlite:a.db?mode=ro', 'must not contain "?"'],
    ['sqlite:a\0.db', 'must not contain'],
    ['postgres://canopy:12/s3cret@127.0.0.1:1/canopy', 'must not contain "@"'],
    ['postgres://', 'has no database name'],
    ['postgres://localhost', 'has no database name'],
    ['postgres://canopy:s3cret@db.example/', 'has no database name'],
    ['postgres://canopy:s3cret#1@db.example:port/canopy', 'must not contain "@" or "#" after the host'],
    ['postgres://canopy:a@s3cret/b#c@db.example/canopy', 'percent-encode special characters in the password'],
    ['postgres://canopy:a@s3cret/b?user=c@db.example/canopy', 'percent-encode special characters in the password'],
    ['postgres://canopy:a@s3cret/b@db.example/canopy', 'percent-encode special characters in the password'],
    ['postgres://canopy:s3cret:1@db1,[db2/canopy', 'is not valid'],
    ['postgres:canopy', 'this is not a registry URL'],
    ['a postgres://localhost/canopy', 'this is not a registry URL'],
    ['postgres://db1,,db2/canopy', 'a host in the PostgreSQL URL is empty'],
  ])('refuses %j with a hint, and does not repeat it', (text, problem) => {
    const message = E.match(String, () => 'no error')(parsed(text))
    expect(message).toContain(problem)
    expect(message).toContain('sqlite:data/registry.db')
    expect(message).toContain('postgres://user@host:5432/database')
    expect(message).not.toContain('s3cret')
  })

  it.each([
    [
      'sslmode=bogus',
      'the sslmode parameter in the PostgreSQL URL must be one of disable, no-verify, require, verify-ca, verify-full',
    ],
    ['sslmode=prefer', 'must be one of disable, no-verify'],
    ['channel_binding=require', 'an unknown parameter "channel_binding": remove it, or use one of host, '],
    ['connect_timeout=5', '"connect_timeout"'],
    ['password=a&secret', 'has an unknown parameter:'],
    ['statement_timeout=0', '"statement_timeout"'],
    ['SSLMODE=disable', '"SSLMODE"'],
    ['sslnegotiation=no', 'sslnegotiation parameter in the PostgreSQL URL must be one of postgres, direct'],
    [
      'target_session_attrs=read-write',
      'target_session_attrs parameter in the PostgreSQL URL must be one of any, primary',
    ],
    ['host=a,b', 'must be a single host: list several hosts before the path, as in host:5432,host2:5432'],
    ['port=1,2', 'port parameter in the PostgreSQL URL must be a single number'],
    ['s3cret@db/canopy', 'must not contain "@" or "#" after the host'],
  ])('refuses the parameters ?%s', (parameters, problem) => {
    const message = E.match(String, () => 'no error')(parsed(`postgres://canopy@db/canopy?${parameters}`))
    expect(message).toContain(problem)
    expect(message).not.toContain('s3cret')
  })

  it('splits a URL by its hosts', () => {
    expect(hostsOf('postgres://u:a,b@h1:1,h2,[::1]:2/d?sslmode=disable')).toEqual([
      'postgres://u:a,b@h1:1/d?sslmode=disable',
      'postgres://u:a,b@h2/d?sslmode=disable',
      'postgres://u:a,b@[::1]:2/d?sslmode=disable',
    ])
    expect(hostsOf('postgres:///d')).toEqual(['postgres:///d'])
  })

  it('is described without password and parameters', () => {
    expect(shown('postgres://canopy:s3cret@db1:5432,db2/canopy?target_session_attrs=any')).toEqual(
      E.right('postgres://canopy@db1:5432,db2/canopy'),
    )
    expect(shown('postgres://canopy:a@s3cret@db.example/canopy')).toEqual(
      E.right('postgres://canopy@db.example/canopy'),
    )
    expect(shown('postgresql://db.example/canopy')).toEqual(E.right('postgresql://db.example/canopy'))
    expect(shown('sqlite:a.db')).toEqual(E.right('sqlite:/home/canopy/a.db'))
  })

  it('is converted back to its text', () => {
    for (const text of ['sqlite:/a.db', 'postgres://u:p@h/d'])
      expect(E.map(toText)(parsed(text))).toEqual(E.right(text))
  })
})
