import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import { describe, expect, it } from 'vitest'
import { badRequest, headTooLarge, malformed, noSuchRoute } from '../../src/http/Refusal.js'
import { askedOf, headProblem, pageOf, parseTarget, treeBounds } from '../../src/http/request.js'
import { fromHeader } from '../../src/http/Traceparent.js'
import type { Route } from '../../src/routes.js'

describe('a request target', () => {
  it.each([
    ['', '/', '/', ''],
    ['', '/a/b', '/a/b', ''],
    ['', '/a?depth=1', '/a', 'depth=1'],
    ['', '/a?', '/a', ''],
    ['', '/?a', '/', 'a'],
    ['', '/a?b?c/d', '/a', 'b?c/d'],
    ['', '/a%3Fb?c%23', '/a%3Fb', 'c%23'],
    ['', '//host/a', '//host/a', ''],
    ['/c/x', '/c/x/a', '/a', ''],
    ['/c/x', '/c/x/', '/', ''],
    ['/c/x', '/c/x', '', ''],
    ['/c/x', '/c/x?a/b', '', 'a/b'],
    ['/c/x', '/c/x/c/x?', '/c/x', ''],
  ])('below "%s" is split at its first question mark, and not decoded: %s', (basePath, url, path, query) => {
    expect(parseTarget(basePath)(url)).toStrictEqual(E.right({ path, query }))
  })

  it.each(['/', '/c', '/c/xy', '/c/x2/a', '/d/x/a', '/c/?/x', '/c?x/a', '/C/x/a', '/c/%78/a', '//c/x/a'])(
    'that is not below the base path is no route: %s',
    (url) => {
      expect(parseTarget('/c/x')(url)).toStrictEqual(E.left(noSuchRoute))
    },
  )

  it.each([
    'http://example.org/c/x/a',
    'http://example.org/',
    '*',
    '',
    'c/x',
    '?a',
    '/c/x#b',
    '/c/x?b#c',
    '/c/x/#',
    '/d#',
  ])('that a proxy might read differently is a bad request, with and without a base path: "%s"', (url) => {
    for (const basePath of ['', '/c/x']) expect(parseTarget(basePath)(url)).toStrictEqual(E.left(badRequest))
  })
})

describe('what a target asks of a route', () => {
  const tree: Route = {
    operation: 'storageTree',
    prefix: '/tree/',
    takesPath: true,
    credential: 'token',
    answer: () => RTE.left(noSuchRoute),
  }
  const peek: Route = { ...tree, operation: 'triggerPeek', prefix: '/peek/', takesPath: false }

  it.each([
    [tree, '/tree/token', 'token', ''],
    [tree, '/tree/token/', 'token', '/'],
    [tree, '/tree/token/a/b', 'token', '/a/b'],
    [tree, '/tree/token//a', 'token', '//a'],
    [tree, '/tree/to%2Fken/a%2Fb', 'to%2Fken', '/a%2Fb'],
    [tree, '/tree/t/tree/u', 't', '/tree/u'],
    [peek, '/peek/bell', 'bell', ''],
  ])(
    'is the segment after the prefix, what follows it, and the query, raw: %o, %s',
    (route, path, credential, rest) => {
      const asked = O.some({ credential, path: rest, query: 'depth=1' })
      expect(askedOf(route, { path, query: 'depth=1' })).toStrictEqual(asked)
    },
  )

  it.each([
    ...['/tree/', '/tree//', '/tree//a'].map((path) => [tree, path] as const),
    ...['/', '/tree', '/Tree/token', '/trees/token', '/tree%2Ftoken'].map((path) => [tree, path] as const),
    ...['/a/tree/', '/a/tree/token', 'tree/token'].map((path) => [tree, path] as const),
    ...['/peek/', '/peek/bell/', '/peek/bell/a'].map((path) => [peek, path] as const),
  ])('is nothing without the prefix or the segment, or where what follows is not taken: %o, %s', (route, path) => {
    expect(askedOf(route, { path, query: '' })).toStrictEqual(O.none)
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
    ['names one host, in whatever case', '1.1', ['Accept', '*/*', 'hOST', 'a', 'X', 'y'], undefined],
    ['names one host, and as a value', '1.1', ['Host', 'host', 'X', 'Host'], undefined],
    ['names a host as a value alone', '1.1', ['X', 'Host'], badRequest],
    ['names no host', '1.1', ['Accept', '*/*'], badRequest],
    ['names no host, by HTTP/1.0', '1.0', ['Accept', '*/*'], undefined],
    ['names two hosts', '1.1', ['Host', 'a', 'host', 'a'], badRequest],
    ['names two hosts, by HTTP/1.0', '1.0', ['Host', 'a', 'Host', 'b'], badRequest],
    ['is of HTTP/0.9', '0.9', host, badRequest],
    ['is of HTTP/2.0', '2.0', host, badRequest],
    ['says where its body ends by no coding', '1.1', coded(), undefined],
    ['says where its body ends', '1.1', coded('chunked'), undefined],
    ['says where its body ends, in whatever case', '1.1', coded('Chunked '), undefined],
    ['says where its body ends in the end', '1.1', coded('gzip, chunked'), undefined],
    ['says where its body ends in the last header', '1.1', coded('gzip', 'chunked'), undefined],
    ['says it by HTTP/1.0, which knows no codings', '1.0', coded('chunked'), badRequest],
    ['has a body that is coded otherwise', '1.1', coded('gzip'), badRequest],
    ['has a body that is coded by nothing', '1.1', coded(''), badRequest],
    ['has a body that is coded otherwise in the end', '1.1', coded('chunked, gzip'), badRequest],
    ['has a body that is coded otherwise in the last header', '1.1', coded('chunked', 'identity'), badRequest],
    ['has a body of a similar coding', '1.1', coded('xchunked'), badRequest],
    ['has 100 headers', '1.1', headers(100), undefined],
    ['has 101 headers', '1.1', headers(101), headTooLarge],
  ])('%s (HTTP/%s)', (_, httpVersion, rawHeaders, problem) => {
    expect(headProblem({ httpVersion, rawHeaders })).toEqual(problem)
  })

  const problemOf = (name: string) => headProblem({ httpVersion: '1.1', rawHeaders: ['Host', name] })

  it.each(['', 'localhost', 'files.example:8080', '127.0.0.1:', '[::1]:8080', 'a_b', 'xn--n3h.example', '%61'])(
    'may name the host "%s"',
    (name) => {
      expect(problemOf(name)).toBeUndefined()
    },
  )

  it.each(['a b', 'user@host', 'a/b', 'a#b', 'a?b', 'a,b c', 'http://a', 'a:b', '[::1', '::1', 'a\tb', 'caf\u00e9'])(
    'may not name the host "%s"',
    (name) => {
      expect(problemOf(name)).toEqual(badRequest)
    },
  )
})

const depth = (text: string) => treeBounds(9)(text)
const bounds = (levels: O.Option<number>) => E.right({ depth: levels, nodes: 9 })

describe('a parameter of the query', () => {
  it.each([
    '',
    '&',
    'a=1',
    'Depth=1',
    'depth%20=1',
    'xdepth=1',
    '=1',
    '1',
    '%zz=1',
    'a=%zz',
    '%64%65%70%74%68%31=1',
    '%'.repeat(20),
  ])('is not in "%s": what is unknown is ignored', (text) => {
    expect(depth(text)).toStrictEqual(bounds(O.none))
  })

  it.each(['depth=2', 'a=1&depth=2', 'depth=2&a=1', '&depth=2&', '%zz=1&depth=2', 'de%70th=2', 'depth=%32'])(
    'is in "%s", in any spelling',
    (text) => {
      expect(depth(text)).toStrictEqual(bounds(O.some(2)))
    },
  )

  it.each(['0', '7', '10', '123'])('may be a number in digits, without a sign or leading zeros: %s', (digits) => {
    expect(depth(`depth=${digits}`)).toStrictEqual(bounds(O.some(Number(digits))))
  })

  it.each([
    'depth=1&depth=2',
    'depth=1&depth=1',
    'depth&de%70th=1',
    'depth=%zz',
    'depth=%C3',
    'depth',
    ...['', '-1', '%2B1', '+1', '01', '00', '1.0', '1e3', '0x1', 'a', '1a', 'a1', '1=', '1%0A'].map(
      (text) => `depth=${text}`,
    ),
  ])('is malformed when it is given twice, or is no such number: "%s"', (text) => {
    expect(depth(text)).toStrictEqual(E.left(malformed('depth')))
  })
})

describe('limit and after ask for a page', () => {
  it.each([
    ['', undefined, undefined],
    ['limit=1', 1, undefined],
    ['limit=200', 200, undefined],
    ['after=a', undefined, 'a'],
    ['after=a=b', undefined, 'a=b'],
    ['after==', undefined, '='],
    ['after=a+b', undefined, 'a b'],
    ['after=a+b+c', undefined, 'a b c'],
    ['after=a%2Bb%26c', undefined, 'a+b&c'],
    ['after=%252F', undefined, '%2F'],
    ['after=', undefined, ''],
    ['after', undefined, ''],
    ['after=b&limit=3', 3, 'b'],
  ])('"%s": so many items, after a name', (text, limit, after) => {
    expect(pageOf(text)).toStrictEqual(E.right({ limit: O.fromNullable(limit), after: O.fromNullable(after) }))
  })

  it.each([
    ['limit=0', 'limit'],
    ['limit=3&after=%zz', 'after'],
    ['limit=x&after=a', 'limit'],
    ['after=a&after=b', 'after'],
    ['after=%zz&limit=x', 'limit'],
  ] as const)('"%s" is a bad request, which names what is malformed, limit first: %s', (text, parameter) => {
    expect(pageOf(text)).toStrictEqual(E.left(malformed(parameter)))
  })
})

describe('a traceparent', () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const spanId = '00f067aa0ba902b7'

  it.each([
    [`00-${traceId}-${spanId}-01`, 1],
    [`00-${traceId}-${spanId}-00`, 0],
    [`01-${traceId}-${spanId}-03`, 3],
    [`01-${traceId}-${spanId}-01-more-to-come`, 1],
    ['', undefined],
    [`00-${traceId}-${spanId}`, undefined],
    [`00-${traceId}-${spanId}-01-more`, undefined],
    [`01-${traceId}-${spanId}-01more`, undefined],
    [`ff-${traceId}-${spanId}-01`, undefined],
    [`00-${'0'.repeat(32)}-${spanId}-01`, undefined],
    [`00-${traceId}-${'0'.repeat(16)}-01`, undefined],
    [`00-${traceId.toUpperCase()}-${spanId}-01`, undefined],
    [` 00-${traceId}-${spanId}-01`, undefined],
    [`00-${traceId}-${spanId}-01\n`, undefined],
  ])('"%s" says the flags %s', (header, traceFlags) => {
    expect(fromHeader(header)).toEqual(traceFlags === undefined ? O.none : O.some({ traceId, spanId, traceFlags }))
  })
})

describe('the largest head takes linear steps', () => {
  /** Patched while a count runs. */
  const prototype: object = String.prototype
  const methods = ['split', 'replace', 'replaceAll', 'slice', 'includes', 'indexOf', 'startsWith'] as const

  /** The number of characters that string methods are called on. */
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

  it.each(['a&', '&', '=', 'limit&', '%61fter=&', 'limit=1&'])('a query of 16 KB of %s', (part) => {
    const query = part.repeat(16_384 / part.length)
    const read = charactersRead(() => {
      pageOf(query)
      treeBounds(1)(query)
    })
    expect(read).toBeGreaterThan(query.length)
    expect(read).toBeLessThan(20 * query.length)
  })

  it('a head of 100 headers', () => {
    let count = 0
    const rawHeaders = new Proxy(Array.from({ length: 100 }, (_, index) => [`X-${index}`, 'value']).flat(), {
      get: (target, property, receiver) => {
        count += 1
        return Reflect.get(target, property, receiver)
      },
    })
    headProblem({ httpVersion: '1.1', rawHeaders })
    expect(count).toBeGreaterThan(100)
    expect(count).toBeLessThan(20 * rawHeaders.length)
  })
})
