import { Tree } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { badRequest, headTooLarge, malformed, noSuchRoute } from '../src/HttpError.js'
import * as Route from '../src/Route.js'
import {
  headProblem,
  isForLoopback,
  isReadMethod,
  parseItemsBounds,
  parseTarget,
  parseTreeBounds,
  parseZip,
} from '../src/request.js'

it('only GET and HEAD read', () => {
  expect(['GET', 'HEAD', 'POST', 'get', '', undefined].filter(isReadMethod)).toEqual(['GET', 'HEAD'])
})

describe('parseTarget', () => {
  it.each([
    ['', '/', '/', ''],
    ['', '/a/b', '/a/b', ''],
    ['', '/a?depth=1', '/a', 'depth=1'],
    ['', '/a?', '/a', ''],
    ['', '/a?b?c/d', '/a', 'b?c/d'],
    ['', '/a%3Fb?c%23', '/a%3Fb', 'c%23'],
    ['', '//host/a', '//host/a', ''],
    ['/c/x', '/c/x/a', '/a', ''],
    ['/c/x', '/c/x/', '/', ''],
    ['/c/x', '/c/x', '', ''],
    ['/c/x', '/c/x?a/b', '', 'a/b'],
    ['/c/x', '/c/x/c/x?', '/c/x', ''],
  ])('below "%s": splits %s at its first question mark, without decoding', (basePath, url, path, query) => {
    expect(parseTarget(basePath)(url)).toStrictEqual(E.right({ path, query }))
  })

  it.each(['/', '/c', '/c/xy', '/c/x2/a', '/d/x/a', '/c/?/x', '/c?x/a', '/C/x/a', '/c/%78/a', '//c/x/a'])(
    'answers no such route outside the base path: %s',
    (url) => {
      expect(parseTarget('/c/x')(url)).toStrictEqual(E.left(noSuchRoute))
    },
  )

  it.each(['http://example.org/c/x/a', 'http://example.org/', '*', '', 'c/x', '?a', '/c/x#b', '/c/x?b#c', '/d#'])(
    'refuses a target that a proxy might read differently: "%s"',
    (url) => {
      for (const basePath of ['', '/c/x']) expect(parseTarget(basePath)(url)).toStrictEqual(E.left(badRequest))
    },
  )
})

it('the routes are those of the interface, and of files', () => {
  const shown = ({ operation, prefix, credential, takesPath }: Route.Route) =>
    `${operation} ${prefix}[${credential}]${takesPath ? '/[path]' : ''}`
  expect(Object.values({ ...Route.routes, ...Route.fileRoutes }).map(shown)).toEqual([
    'storageTree /api/storage/v1/tree/[token]/[path]',
    'userContentTree /api/usercontent/v1/tree/id/[user id]/[path]',
    'storageDirItems /api/storage/v1/diritems/[token]/[path]',
    'userContentDirItems /api/usercontent/v1/diritems/id/[user id]/[path]',
    'triggerPeek /api/triggers/v1/peek/[trigger]',
    'storageFile /files/token/[token]/[path]',
    'userContentFile /files/id/[user id]/[path]',
  ])
  expect(Object.values(Route.cacheControl)).toEqual(['private, no-cache', 'public, no-cache', 'no-store'])
})

describe('the parameters of a route', () => {
  const tree: Route.Route = { operation: 'storageTree', prefix: '/tree/', takesPath: true, credential: 'token' }
  const peek: Route.Route = { operation: 'triggerPeek', prefix: '/peek/', takesPath: false, credential: 'trigger' }

  it.each([
    [tree, '/tree/token', 'token', ''],
    [tree, '/tree/token/', 'token', '/'],
    [tree, '/tree/token/a/b', 'token', '/a/b'],
    [tree, '/tree/token//a', 'token', '//a'],
    [tree, '/tree/to%2Fken/a%2Fb', 'to%2Fken', '/a%2Fb'],
    [tree, '/tree/t/tree/u', 't', '/tree/u'],
    [peek, '/peek/bell', 'bell', ''],
  ])('are the raw segment, path and query after the prefix: %o, %s', (route, path, credential, rest) => {
    const params = O.some({ credential, path: rest, query: 'depth=1' })
    expect(Route.params(route, { path, query: 'depth=1' })).toStrictEqual(params)
  })

  it.each([
    ...['/tree/', '/tree//', '/tree//a'].map((path) => [tree, path] as const),
    ...['/', '/tree', '/Tree/token', '/trees/token', '/tree%2Ftoken'].map((path) => [tree, path] as const),
    ...['/a/tree/', '/a/tree/token', 'tree/token'].map((path) => [tree, path] as const),
    ...['/peek/', '/peek/bell/', '/peek/bell/a'].map((path) => [peek, path] as const),
  ])('require the prefix, a credential, and no path where the route takes none: %o, %s', (route, path) => {
    expect(Route.params(route, { path, query: '' })).toStrictEqual(O.none)
  })
})

describe('the head of a request', () => {
  const host = ['Host', 'a']
  const coded = (...codings: ReadonlyArray<string>) => [
    ...host,
    ...codings.flatMap((coding) => ['transfer-Encoding', coding]),
  ]
  const headers = (count: number) => [...host, ...Array.from({ length: count - 1 }, (_, at) => [`X-${at}`, 'x']).flat()]

  it.each([
    ['names one host', '1.1', host, undefined],
    ['names one host in any case', '1.1', ['Accept', '*/*', 'hOST', 'a', 'X', 'Host'], undefined],
    ['has Host as a value alone', '1.1', ['X', 'Host'], badRequest],
    ['names no host', '1.1', ['Accept', '*/*'], badRequest],
    ['names no host over HTTP/1.0', '1.0', ['Accept', '*/*'], undefined],
    ['names two hosts', '1.1', ['Host', 'a', 'host', 'a'], badRequest],
    ['names two hosts over HTTP/1.0', '1.0', ['Host', 'a', 'Host', 'b'], badRequest],
    ['has version HTTP/0.9', '0.9', host, badRequest],
    ['has version HTTP/2.0', '2.0', host, badRequest],
    ['is chunked, in any case', '1.1', coded('Chunked '), undefined],
    ['is chunked last', '1.1', coded('gzip, chunked'), undefined],
    ['is chunked in the last header', '1.1', coded('gzip', 'chunked'), undefined],
    ['is chunked over HTTP/1.0', '1.0', coded('chunked'), badRequest],
    ['has an empty coding', '1.1', coded(''), badRequest],
    ['has another coding last', '1.1', coded('chunked, gzip'), badRequest],
    ['has another coding in the last header', '1.1', coded('chunked', 'identity'), badRequest],
    ['has a similar coding', '1.1', coded('xchunked'), badRequest],
    ['has 100 headers', '1.1', headers(100), undefined],
    ['has 101 headers', '1.1', headers(101), headTooLarge],
  ])('%s (HTTP/%s)', (_, httpVersion, rawHeaders, problem) => {
    expect(headProblem({ httpVersion, rawHeaders })).toEqual(problem)
  })

  it.each<[string | undefined, ReadonlyArray<string>]>([
    [undefined, ['', 'localhost', 'files.example:8080', '127.0.0.1:', '[::1]:8080', 'a_b', 'xn--n3h.example', '%61']],
    ['bad request', ['a b', 'user@host', 'a/b', 'a#b', 'a?b', 'a,b c', 'http://a', 'a:b', '[::1', '::1', 'a\tb']],
    ['bad request', ['caf\u00e9']],
  ])('is a problem (%s) by its host', (problem, names) => {
    for (const name of names) {
      const found = headProblem({ httpVersion: '1.1', rawHeaders: ['Host', name] })
      expect([name, found?.error]).toEqual([name, problem])
    }
  })
})

describe('isForLoopback', () => {
  it.each([
    [true, ['localhost', 'LocalHost:8080', '127.0.0.1:8080', '127.1.20.255', '[::1]', '[::1]:80']],
    [false, ['example.org', 'localhost.example.org', 'my-localhost', '127.0.0.1.example.org', '10.0.0.1', '[::2]', '']],
  ])('is %s for %s', (expected, hosts) => {
    for (const host of hosts)
      expect([host, isForLoopback({ httpVersion: '1.1', rawHeaders: ['Host', host] })]).toEqual([host, expected])
  })

  it('is true without a host, and false if one of two hosts is elsewhere', () => {
    const found = (...rawHeaders: ReadonlyArray<string>) => isForLoopback({ httpVersion: '1.0', rawHeaders })
    expect([found(), found('Host', 'localhost', 'Host', 'example.org')]).toEqual([true, false])
  })
})

const depth = (text: string) => parseTreeBounds(9)(text)
const bounds = (levels: O.Option<number>) => E.right({ ...Tree.unbounded, depth: levels, nodes: 9 })

describe('a parameter of the query', () => {
  it.each([
    ['', '&', 'a=1', 'Depth=1', 'depth%20=1', 'xdepth=1', '=1', '1', '%zz=1', 'a=%zz'],
    ['%64%65%70%74%68%31=1', '%'.repeat(20)],
  ])('is absent in "%s"', (...texts) => {
    for (const text of texts) expect([text, depth(text)]).toStrictEqual([text, bounds(O.none)])
  })

  it.each(['depth=2', 'a=1&depth=2', 'depth=2&a=1', '&depth=2&', '%zz=1&depth=2', '%64%65%70%74%68=2', 'depth=%32'])(
    'is read from "%s", in any spelling',
    (text) => {
      expect(depth(text)).toStrictEqual(bounds(O.some(2)))
    },
  )

  it.each([
    ['depth=1&depth=2', 'depth=1&depth=1', 'depth&de%70th=1', 'depth=%zz', 'depth=%C3', 'depth', 'depth='],
    ['-1', '%2B1', '+1', '01', '00', '1.0', '1e3', '0x1', 'a', '1a', 'a1', '1=', '1%0A'].map((text) => `depth=${text}`),
  ])('is malformed if it occurs twice or is no whole number: "%s"', (...texts) => {
    for (const text of texts) expect([text, depth(text)]).toStrictEqual([text, E.left(malformed('depth'))])
  })
})

describe('parseItemsBounds', () => {
  it.each([
    ['', undefined, undefined],
    ['limit=200', 200, undefined],
    ['after=a=b', undefined, 'a=b'],
    ['after==', undefined, '='],
    ['after=a+b+c', undefined, 'a b c'],
    ['after=a%2Bb%26c', undefined, 'a+b&c'],
    ['after=%252F', undefined, '%2F'],
    ['after=', undefined, ''],
    ['after', undefined, ''],
    ['after=b&limit=3', 3, 'b'],
  ])('reads limit and after from "%s"', (text, limit, after) => {
    expect(parseItemsBounds(text)).toStrictEqual(
      E.right({ limit: O.fromNullable(limit), after: O.fromNullable(after) }),
    )
  })

  it.each([
    ['limit=0', 'limit'],
    ['limit=3&after=%zz', 'after'],
    ['limit=x&after=a', 'limit'],
    ['after=a&after=b', 'after'],
    ['after=%zz&limit=x', 'limit'],
  ] as const)('answers bad request to "%s" and names %s, limit first', (text, parameter) => {
    expect(parseItemsBounds(text)).toStrictEqual(E.left(malformed(parameter)))
  })
})

it.each([
  ['', E.right(false)],
  ['a&zip', E.right(true)],
  ['zip=', E.right(true)],
  ['zip=1', E.left(malformed('zip'))],
  ['zip&zip', E.left(malformed('zip'))],
])('parseZip reads "%s"', (text, expected) => {
  expect(parseZip(text)).toStrictEqual(expected)
})

describe('the longest query takes a linear number of steps', () => {
  const prototype: object = String.prototype
  const methods = ['split', 'replace', 'replaceAll', 'slice', 'includes', 'indexOf', 'startsWith'] as const

  const charactersRead = (work: () => void): number => {
    let count = 0
    const originals = methods.map((name) => [name, Object.getOwnPropertyDescriptor(prototype, name)] as const)
    for (const [name, original] of originals)
      Object.defineProperty(prototype, name, {
        ...original,
        value(this: string, ...parameters: ReadonlyArray<unknown>) {
          count += this.length
          return Reflect.apply(original?.value, this, parameters)
        },
      })
    work()
    for (const [name, original] of originals) Object.defineProperty(prototype, name, original ?? {})
    return count
  }

  it.each(['a&', '&', '=', 'limit&', '%61fter=&', 'limit=1&'])('16 KB of %s', (part) => {
    const query = part.repeat(16_384 / part.length)
    const read = charactersRead(() => {
      parseItemsBounds(query)
      parseTreeBounds(1)(query)
    })
    expect(read).toBeGreaterThan(query.length)
    expect(read).toBeLessThan(20 * query.length)
  })
})

describe('the bounds of lines', () => {
  const lines = (text: string) => parseTreeBounds(9, true)(text)
  const all = ['*', 'a']
  const found = (text: string) =>
    E.map(({ matches, ...bounds }: Tree.Bounds) => ({ ...bounds, names: all.filter(matches) }))(lines(text))

  it.each([
    ['', O.none, all],
    ['after=/', O.some('/'), all],
    ['after=%2Fa%20b%2Fc+d', O.some('/a b/c d'), all],
    ['limit=x&name=%5C*&after=/%25', O.some('/%'), ['*']],
  ])('are read from "%s"', (text, after, names) => {
    expect(found(text)).toStrictEqual(E.right({ depth: O.none, nodes: 9, asLines: true, after, names }))
  })

  it.each([
    ['depth', 'depth=x&after=&name='],
    ['after', 'after=&name='],
    ['after', 'after=a'],
    ['after', 'after=/a/'],
    ['after', 'after=/a&after=/b'],
    ['after', 'after=/%zz'],
    ['name', 'name='],
    ['name', 'name=a/b'],
    ['name', 'name=%5C'],
    ['name', 'name=%ff'],
  ] as const)('name %s if it is malformed: "%s"', (parameter, text) => {
    expect(lines(text)).toStrictEqual(E.left(malformed(parameter)))
  })

  it('are ignored by a nested tree', () => {
    expect(parseTreeBounds(9)('after=a&name=')).toStrictEqual(E.right({ ...Tree.unbounded, nodes: 9 }))
  })
})
