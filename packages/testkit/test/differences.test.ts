import { expect, it } from 'vitest'
import { type Comparison, differences } from '../src/backends/overHttp.js'
import type { RawResponse } from '../src/backends/rawHttp.js'

const expected = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'private, no-cache',
  Link: '<?limit=2&after=a%20b>; rel="next"',
  'WWW-Authenticate': 'PathToken',
}
const inEveryAnswer = {
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
  'Access-Control-Allow-Origin': '*',
}

/** Differences between a response and the expected one with this body. */
const found = (
  comparison: Comparison,
  body: string,
  text: string,
  headers: Readonly<Record<string, string>> = expected,
) => {
  const response: RawResponse = {
    status: 200,
    headers: Object.entries({ ...inEveryAnswer, ...headers }),
    body: Buffer.from(text),
    complete: true,
  }
  const answer = { status: 200, body, headers: [...Object.entries(expected), ['ETag', undefined] as const] }
  return differences({ answer }, response, comparison).map(({ what }) => what)
}

it('another spelling has the same meaning, but is not exactly the same', () => {
  const headers = {
    'content-type': 'Application/JSON',
    'cache-control': 'no-cache,private',
    link: '<https://example.org/x?after=a+b&limit=2>; REL=Next',
    'www-authenticate': 'pathtoken',
    'X-Content-Type-Options': 'NoSniff',
  }
  const bodies = ['{"a":1,"b":[]}', ' {"b": [ ],\n"a":1}'] as const
  expect(found('semantic', ...bodies, headers)).toEqual([])
  expect(found('exact', ...bodies, headers)).toEqual(['body', 'X-Content-Type-Options', ...Object.keys(expected)])
})

it.each([
  [false, '{"a":[1,2]}', ' { "a" :\n[ 1 , 2 ] } '],
  [false, '{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}'],
  [false, '"é/"', '"\\u00e9\\/"'],
  [true, '18446744073709551615', '18446744073709551616'],
  [true, '1.0', '1'],
  [true, '1', '"1"'],
  [true, 'null', '{}'],
  [true, '[1,2]', '[2,1]'],
  [true, '{"a":1}', '{"a":1,"b":1}'],
  [true, '{"__proto__":1}', '{}'],
  [true, '""', '"\\u0000"'],
  [true, '{"a":1}', '{"a":1,"a":2}'],
  [true, '[1]', '[1,]'],
  [true, '1', '1 2'],
])('JSON differs (%s) by its values, not by its spelling: %s and %s', (differs, one, other) => {
  expect(found('semantic', one, other).length > 0).toBe(differs)
})
