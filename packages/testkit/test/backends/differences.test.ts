import { describe, expect, it } from 'vitest'
import { differences } from '../../src/backends/overHttp.js'
import type { RawResponse } from '../../src/backends/rawHttp.js'
import type { HttpAnswer } from '../../src/scenarios/Scenario.js'

const expected: HttpAnswer = {
  status: 200,
  body: '{"a":1,"b":[]}',
  headers: [
    ['Content-Type', 'application/json; charset=utf-8'],
    ['Cache-Control', 'private, no-cache'],
    ['Link', '<?limit=2&after=a%20b>; rel="next"'],
    ['WWW-Authenticate', 'PathToken'],
    ['X-Content-Type-Options', 'nosniff'],
    ['ETag', undefined],
  ],
}

const response = (
  body = expected.body,
  headers: RawResponse['headers'] = [],
  part: Partial<RawResponse> = {},
): RawResponse => ({
  status: 200,
  headers: [
    ...headers,
    ...expected.headers.flatMap(([name, value]) =>
      value === undefined || headers.some(([key]) => key.toLowerCase() === name.toLowerCase())
        ? []
        : [[name, value] as const],
    ),
  ],
  body: Buffer.from(body),
  complete: true,
  ...part,
})

const otherSpellings: RawResponse['headers'] = [
  ['content-type', 'Application/JSON'],
  ['cache-control', 'no-cache,private'],
  ['link', '<https://example.org/x?after=a+b&limit=2>; REL=Next'],
  ['www-authenticate', 'pathtoken'],
  ['x-content-type-options', 'NoSniff'],
]

const wrong: ReadonlyArray<readonly [string, RawResponse]> = [
  ['status', response(undefined, [], { status: 404 })],
  ['body', response('{"a":2,"b":[]}')],
  ['body', response('')],
  ['body', response('{"a":1,"b":[]')],
  ['end of the body', response(undefined, [], { complete: false })],
  ['Content-Type', response(undefined, [['Content-Type', 'text/plain']])],
  ['Cache-Control', response(undefined, [['Cache-Control', 'private']])],
  ['Link', response(undefined, [['Link', '<?limit=2&after=a>; rel="next"']])],
  ['Link', response(undefined, [['Link', '<?limit=2&after=a%20b>; rel="prev"']])],
  ['ETag', response(undefined, [['ETag', '"x"']])],
]

describe.each(['exact', 'meaning'] as const)('reading what is %s', (reading) => {
  it('the same answer does not differ', () => {
    expect(differences(expected, response(), reading)).toEqual([])
  })

  it('headers that were not asked for do not differ', () => {
    expect(differences(expected, response(undefined, [['X-Powered-By', 'x']]), reading)).toEqual([])
  })

  it.each(wrong)('another %s differs', (what, answer) => {
    expect(differences(expected, answer, reading).map((difference) => difference.what)).toEqual([what])
  })
})

describe('another way to say the same', () => {
  const same = response(' {"b": [ ],\n"a":1}', otherSpellings)

  it('means the same', () => {
    expect(differences(expected, same, 'meaning')).toEqual([])
  })

  it('is not exactly the same', () => {
    expect(differences(expected, same, 'exact').map(({ what }) => what)).toEqual([
      'body',
      'Content-Type',
      'Cache-Control',
      'Link',
      'WWW-Authenticate',
      'X-Content-Type-Options',
    ])
  })
})
