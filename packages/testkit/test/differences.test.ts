import { expect, it } from 'vitest'
import { type Comparison, differences } from '../src/backends/overHttp.js'
import type { RawResponse } from '../src/backends/rawHttp.js'
import type { HttpAnswer } from '../src/scenarios/Scenario.js'

const answer: HttpAnswer = {
  status: 200,
  body: '{"a":1,"b":[]}',
  headers: [
    ['Content-Type', 'application/json; charset=utf-8'],
    ['Cache-Control', 'private, no-cache'],
    ['Link', '<?limit=2&after=a%20b>; rel="next"'],
    ['WWW-Authenticate', 'PathToken'],
    ['ETag', undefined],
  ],
}

const inEveryAnswer = [
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Robots-Tag', 'noindex'],
  ['Access-Control-Allow-Origin', '*'],
] as const

/** The answer, but for these headers and these other parts. */
const response = (headers: RawResponse['headers'] = [], parts: Partial<RawResponse> = {}): RawResponse => ({
  status: 200,
  headers: [
    ...headers,
    ...[...inEveryAnswer, ...answer.headers].flatMap(([name, value]) =>
      value === undefined || headers.some(([key]) => key.toLowerCase() === name.toLowerCase())
        ? []
        : [[name, value] as const],
    ),
  ],
  body: Buffer.from(answer.body),
  complete: true,
  ...parts,
})

const whatDiffers = (got: RawResponse, comparison?: Comparison) =>
  differences({ answer }, got, comparison).map(({ what }) => what)

const withBody = (text: string) => response([], { body: Buffer.from(text) })

it('another way to say the same means the same, and is not exactly the same', () => {
  const same = response(
    [
      ['content-type', 'Application/JSON'],
      ['cache-control', 'no-cache,private'],
      ['link', '<https://example.org/x?after=a+b&limit=2>; REL=Next'],
      ['www-authenticate', 'pathtoken'],
      ['x-content-type-options', 'NoSniff'],
    ],
    { body: Buffer.from(' {"b": [ ],\n"a":1}') },
  )
  expect(whatDiffers(same, 'semantic')).toEqual([])
  expect(new Set(whatDiffers(same, 'exact'))).toEqual(
    new Set(['body', 'Content-Type', 'Cache-Control', 'Link', 'WWW-Authenticate', 'X-Content-Type-Options']),
  )
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
])(
  'JSON differs (%s) in what it means, not in white space, order of fields or escapes: %s and %s',
  (differs, one, other) => {
    const found = differences({ answer: { ...answer, body: one } }, withBody(other), 'semantic')
    expect(found.length > 0).toBe(differs)
  },
)
