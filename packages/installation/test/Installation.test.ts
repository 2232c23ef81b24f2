import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import {
  baseUrl,
  fromVariables,
  names,
  toVariables,
  type Variables,
  withoutServiceLink,
  workingDirectory,
} from '../src/Installation.js'

const read = (variables: Variables) => fromVariables('/srv', variables)

const defaults = {
  data: '/srv/data',
  storage: '/srv/data/areas',
  registry: { engine: 'SQLite', path: '/srv/data/registry.sqlite' },
  host: '127.0.0.1',
  port: 8080,
  basePath: '',
}

describe('an installation', () => {
  it('is below ./data and on the loopback address by default', () => {
    expect(read({})).toStrictEqual(E.right(defaults))
  })

  it('follows its variables', () => {
    const variables = {
      CANOPY_DATA: '/var/lib/canopy',
      CANOPY_STORAGE: 'file:///mnt/areas',
      CANOPY_REGISTRY: 'postgres://canopy@db/canopy',
      CANOPY_HOST: '::',
      CANOPY_PORT: '0',
      CANOPY_BASE_PATH: '/files/of-us',
    }
    expect(names).toEqual(Object.keys(variables))
    expect(read(variables)).toStrictEqual(
      E.right({
        data: '/var/lib/canopy',
        storage: '/mnt/areas',
        registry: { engine: 'PostgreSQL', connectionString: 'postgres://canopy@db/canopy' },
        host: '::',
        port: 0,
        basePath: '/files/of-us',
      }),
    )
  })

  it.each([
    ['my data', '/srv/my data'],
    ['100%', '/srv/100%'],
    ['a%20b', '/srv/a%20b'],
    ['a#b', '/srv/a#b'],
    ["it's", "/srv/it's"],
    ['/', ''],
  ])('has storage and registry in the data directory "%s"', (name, data) => {
    const registry = { engine: 'SQLite', path: `${data}/registry.sqlite` }
    const all = { ...defaults, data: data || '/', storage: `${data}/areas`, registry }
    expect(read({ CANOPY_DATA: name })).toStrictEqual(E.right(all))
  })

  it.each([
    ['host', 'CANOPY_HOST', ['127.0.0.1', '0.0.0.0', '::1', 'fe80::1%eth0', 'canopy.example', 'my_host-2', 'Canopy']],
    ['host', 'CANOPY_HOST', ['/run/canopy.sock', `/${'a'.repeat(106)}`]],
    ['port', 'CANOPY_PORT', [1, 65_535]],
    ['basePath', 'CANOPY_BASE_PATH', ['/a', '/a.b/~c', '/...', '/a/..b', '/.well-known']],
  ])('accepts as %s in %s: %j', (field, name, values) => {
    for (const value of values)
      expect(read({ [name]: `${value}` })).toStrictEqual(E.right({ ...defaults, [field]: value }))
  })
})

describe('the storage', () => {
  it('may be an object store', () => {
    const url = 's3://bucket/a/b?endpoint=https://store.example&region=us-east-1&pathStyle=true'
    const place = { bucket: 'bucket', prefix: 'a/b/', endpoint: 'https://store.example', region: 'us-east-1' }
    expect(read({ CANOPY_STORAGE: url })).toStrictEqual(
      E.right({ ...defaults, storage: { ...place, pathStyle: true } }),
    )
  })

  it.each(['s3://bucket', 's3://bucket/a%20b?region=eu', 'file:///srv/my%20areas', 'module:/opt/a%20b%25.js?b=c'])(
    'survives a round trip through its variables: %s',
    (text) => {
      const installation = read({ CANOPY_STORAGE: text })
      const written = E.isRight(installation) ? toVariables(installation.right) : {}
      expect(written).toMatchObject({ CANOPY_STORAGE: text })
      expect(fromVariables('/elsewhere', written)).toStrictEqual(installation)
    },
  )

  it.each([
    ...['', 'data', '/srv/canopy', 'nfs://x', 'S3://bucket', 'https://bucket.s3.example'].map((text) => [
      text,
      'must be a directory URL such as ',
    ]),
    ['file://host/areas', 'must not contain a host'],
    ['module:', 'must include the path of the module file'],
    ['s3:bucket', 'must be an object store URL such as "s3://bucket/prefix?endpoint='],
    ['s3://bucket/a//b', 'must not contain an empty, "." or ".." segment in the prefix'],
    ['s3://key:secret@bucket', 'must not contain credentials'],
    ['s3://bucket?acl=public', 'has an unknown parameter "acl"'],
  ])('refuses %j: it %s', (text, problem) => {
    const found = read({ CANOPY_STORAGE: text })
    expect(found).toEqual(E.left([expect.stringContaining(`CANOPY_STORAGE: ${problem}`)]))
    expect(JSON.stringify(found)).not.toContain('secret@')
  })
})

describe('a wrong variable is named, with a hint', () => {
  it.each([
    [
      'CANOPY_HOST',
      ['', ' ', 'a b', 'a/b', 'a/', '/a/', '/', '/a b', '/a:b', '/a\n', `/${'a'.repeat(107)}`, 'http://a'],
    ],
    ['CANOPY_HOST', ['a\n', '[::1]']],
    [
      'CANOPY_BASE_PATH',
      ['/', 'a', '/a/', '//a', '/a//b', '/.', '/..', '/a/../b', '/a/.', '/a b', '/a%20b', '/a:b', '/(a)'],
    ],
    ['CANOPY_BASE_PATH', ['/ü', '/a\n']],
    ['CANOPY_PORT', ['', '-1', '65536', '80x', '080', '1.5']],
  ])('%s: %j', (name, values) => {
    const problem = expect.stringMatching(`^${name}: must be .* such as `)
    for (const value of values) expect(read({ [name]: value })).toStrictEqual(E.left([problem]))
  })

  it('the port of a Kubernetes Service is refused, but ignored by commands', () => {
    const variables = { CANOPY_PORT: 'tcp://10.0.0.5:8080', CANOPY_HOST: '::1' }
    expect(read(variables)).toStrictEqual(E.left([expect.stringContaining('enableServiceLinks: false')]))
    expect(read(withoutServiceLink(variables))).toStrictEqual(E.right({ ...defaults, host: '::1' }))
    expect(withoutServiceLink({ CANOPY_PORT: '9000' })).toStrictEqual({ CANOPY_PORT: '9000' })
  })

  it('the port is ignored with a unix socket', () => {
    for (const port of ['tcp://10.0.0.5:8080', '9000', 'x'])
      expect(read({ CANOPY_HOST: '/run/canopy.sock', CANOPY_PORT: port })).toStrictEqual(
        E.right({ ...defaults, host: '/run/canopy.sock' }),
      )
  })

  it.each([
    ['CANOPY_DATA', '"/srv/data"', /^CANOPY_DATA: must not begin or end with a quotation mark/],
    ['CANOPY_DATA', '/srv/data\r', /^CANOPY_DATA: must not contain the control character \\u\{d\}: /],
    ['CANOPY_DATA', ' /srv/data', /^CANOPY_DATA: must not begin or end with a space/],
    ['CANOPY_DATA', '~/data', /^CANOPY_DATA: must not begin with ~/],
    ['CANOPY_STORAGE', "'file:///srv/areas'", /^CANOPY_STORAGE: must not begin or end with a quotation mark/],
    ['CANOPY_STORAGE', 'file:~/areas', /^CANOPY_STORAGE: must not begin with ~/],
    ['CANOPY_STORAGE', 's3://bucket ', /^CANOPY_STORAGE: must not begin or end with a space/],
    [
      'CANOPY_REGISTRY',
      'postgres://canopy:secret@db/canopy\r',
      /^CANOPY_REGISTRY: must not contain the control character/,
    ],
    ['CANOPY_REGISTRY', 'sqlite:~/registry.sqlite', /^CANOPY_REGISTRY: must not begin with ~/],
  ])('%s refuses %j, and does not repeat it', (name, value, problem) => {
    const found = read({ CANOPY_REGISTRY: 'sqlite:r', [name]: value })
    expect(found).toStrictEqual(E.left([expect.stringMatching(problem)]))
    expect(JSON.stringify(found)).not.toContain('secret')
  })

  it('a problem of the default registry names the data directory as its cause', () => {
    const follows =
      'CANOPY_REGISTRY: (default, derived from CANOPY_DATA) the path of the SQLite file must not contain "?"'
    expect(read({ CANOPY_DATA: '/srv/what?' })).toEqual(E.left([expect.stringContaining(follows)]))
    expect(read({ CANOPY_REGISTRY: 'sqlite:a?' })).toEqual(
      E.left([expect.stringMatching(/^CANOPY_REGISTRY: the path/)]),
    )
    expect(E.isRight(read({ CANOPY_DATA: '/srv/what?', CANOPY_REGISTRY: 'sqlite:a' }))).toBe(true)
  })

  it('all problems are reported together', () => {
    expect(
      read({ CANOPY_DATA: '', CANOPY_STORAGE: 'data', CANOPY_REGISTRY: 'x', CANOPY_HOST: '', CANOPY_PORT: '' }),
    ).toStrictEqual(
      E.left([
        expect.stringMatching(/^CANOPY_DATA: must not be empty/),
        expect.stringMatching(/^CANOPY_HOST: must be/),
        expect.stringMatching(/^CANOPY_PORT: must be/),
        expect.stringMatching(/^CANOPY_REGISTRY: this is not a registry URL/),
        expect.stringMatching(/^CANOPY_STORAGE: must be a directory URL/),
      ]),
    )
  })
})

it.each([
  ['127.0.0.1', 8080, 'http://127.0.0.1:8080'],
  ['canopy.example', 80, 'http://canopy.example:80'],
  ['192.0.2.1', 1, 'http://192.0.2.1:1'],
  ['0.0.0.0', 8080, 'http://127.0.0.1:8080'],
  ['constructor', 8080, 'http://constructor:8080'],
  ['::', 8080, 'http://[::1]:8080'],
  ['127.0.0.1', 0, 'http://127.0.0.1:PORT'],
  ['::1', 8080, 'http://[::1]:8080'],
  ['2001:db8::1', 8080, 'http://[2001:db8::1]:8080'],
  ['/run/canopy.sock', 8080, 'http://unix:/run/canopy.sock:'],
])('the base URL works on this machine: for host %s and port %i', (host, port, url) => {
  expect(baseUrl({ host, port, basePath: '' })).toBe(url)
  expect(baseUrl({ host, port, basePath: '/files' })).toBe(`${url}/files`)
})

it('a removed working directory is a problem with a hint', () => {
  expect(workingDirectory(() => '/srv')).toEqual(E.right('/srv'))
  const gone = workingDirectory(() => {
    throw new Error('ENOENT: uv_cwd')
  })
  expect(gone).toEqual(E.left([expect.stringContaining('change to another one')]))
})
