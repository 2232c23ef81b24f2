import { describe, expect, it } from 'vitest'
import { badRequest, headTooLarge } from '../../src/http/Refusal.js'
import { headProblem } from '../../src/http/request.js'

describe('a request names one host', () => {
  it.each([
    ['once', '1.1', ['Host', 'a'], undefined],
    ['among others, in whatever case', '1.1', ['Accept', '*/*', 'hOST', 'a', 'X', 'y'], undefined],
    ['not at all', '1.1', ['Accept', '*/*'], badRequest],
    ['not at all, by HTTP/1.0', '1.0', ['Accept', '*/*'], undefined],
    ['twice', '1.1', ['Host', 'a', 'host', 'a'], badRequest],
    ['twice, by HTTP/1.0', '1.0', ['Host', 'a', 'Host', 'b'], badRequest],
    ['once, and as a value', '1.1', ['Host', 'host', 'X', 'Host'], undefined],
    ['as a value alone', '1.1', ['X', 'Host'], badRequest],
  ])('%s', (_, httpVersion, rawHeaders, problem) => {
    expect(headProblem({ httpVersion, rawHeaders: [...rawHeaders] })).toEqual(problem)
  })

  it.each(['', 'localhost', 'files.example:8080', '127.0.0.1:', '[::1]:8080', 'a_b', 'xn--n3h.example', '%61'])(
    'that may be "%s"',
    (host) => {
      expect(headProblem({ httpVersion: '1.1', rawHeaders: ['Host', host] })).toBeUndefined()
    },
  )

  it.each(['a b', 'user@host', 'a/b', 'a#b', 'a?b', 'a,b c', 'http://a', 'a:b', '[::1', '::1', 'a\tb', 'caf\u00e9'])(
    'that may not be "%s"',
    (host) => {
      expect(headProblem({ httpVersion: '1.1', rawHeaders: ['Host', host] })).toEqual(badRequest)
    },
  )
})

describe('a request tells where its body ends', () => {
  const problemOf = (...codings: ReadonlyArray<string>) =>
    headProblem({
      httpVersion: '1.1',
      rawHeaders: ['Host', 'a', ...codings.flatMap((coding) => ['transfer-Encoding', coding])],
    })

  it.each([[[]], [['chunked']], [['Chunked ']], [['gzip, chunked']], [['gzip', 'chunked']]])('by %j', (codings) => {
    expect(problemOf(...codings)).toBeUndefined()
  })

  it('not with HTTP/1.0, which knows no codings', () => {
    const rawHeaders = ['Host', 'a', 'Transfer-Encoding', 'chunked']
    expect(headProblem({ httpVersion: '1.0', rawHeaders })).toEqual(badRequest)
  })

  it.each([[['gzip']], [['']], [['chunked, gzip']], [['chunked', 'identity']], [['xchunked']]])(
    'not by %j',
    (codings) => {
      expect(problemOf(...codings)).toEqual(badRequest)
    },
  )
})

describe('a request is of HTTP/1.1 or HTTP/1.0', () => {
  it.each(['0.9', '2.0'])('and not of HTTP/%s', (httpVersion) => {
    expect(headProblem({ httpVersion, rawHeaders: ['Host', 'a'] })).toEqual(badRequest)
  })
})

describe('a request has at most 100 headers', () => {
  const headers = (count: number) => [
    'Host',
    'a',
    ...Array.from({ length: count - 1 }, (_, at) => [`X-${at}`, 'x']).flat(),
  ]

  it('and is too large with one more', () => {
    expect(headProblem({ httpVersion: '1.1', rawHeaders: headers(100) })).toBeUndefined()
    expect(headProblem({ httpVersion: '1.1', rawHeaders: headers(101) })).toEqual(headTooLarge)
  })
})
