import { describe, expect, it } from 'vitest'
import { selectBytes } from '../../src/files/selectBytes.js'

const headers = { ETag: '"a"', 'Last-Modified': 'Thu, 01 Jan 1970 00:01:00 GMT' }
const select = (request: Readonly<Record<string, string>>, size = 10n, method = 'GET') =>
  selectBytes({ method, headers: request }, size, headers)
const part = (start: bigint, end: bigint) => ({ status: 206, start, end })
const whole = { status: 200, start: 0n, end: 10n }

describe('a range', () => {
  it.each([
    ['bytes=0-0', part(0n, 1n)],
    ['bytes=-99', part(0n, 10n)],
    ['BYTES= 1-2 ', part(1n, 3n)],
    ['bytes=10-12', 416],
    ['bytes=-0', 416],
    ['bytes=99999999999999999999-', 416],
  ])('%s selects %o', (range, selected) => {
    expect(select({ range })).toEqual(selected)
  })

  const ignored = ['bytes=', 'bytes=4-2', 'bytes=0-1,3-4', 'bytes=a-b', `bytes=${'1'.repeat(21)}-`]

  it.each(ignored)('is ignored if it is malformed or not the only one: %s', (range) => {
    expect(select({ range })).toEqual(whole)
  })

  it('is not satisfiable in an empty file, and ignored for HEAD', () => {
    expect(['bytes=0-', 'bytes=-1'].map((range) => select({ range }, 0n))).toEqual([416, 416])
    expect(select({ range: 'bytes=2-4' }, 10n, 'HEAD')).toEqual(whole)
  })

  it('keeps every digit of large sizes', () => {
    const at = 2n ** 53n + 1n
    expect(select({ range: `bytes=${at}-${at}` }, 2n ** 63n)).toEqual(part(at, at + 1n))
  })

  it('is sent only if If-Range is the strong tag', () => {
    const selected = ['"a"', '"b"', 'W/"a"', headers['Last-Modified']].map((tag) =>
      select({ range: 'bytes=2-4', 'if-range': tag }),
    )
    expect(selected).toEqual([part(2n, 5n), whole, whole, whole])
  })
})

it.each([
  [{ 'if-none-match': '"a"' }, 304],
  [{ 'if-none-match': '"b", W/"a"' }, 304],
  [{ 'if-none-match': '*' }, 304],
  [{ 'if-none-match': '"b"' }, whole],
  [{ 'if-none-match': '"b"', 'if-modified-since': headers['Last-Modified'] }, whole],
  [{ 'if-none-match': '"a"', 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 304],
  [{ 'if-modified-since': headers['Last-Modified'] }, 304],
  [{ 'if-modified-since': 'Thu, 01 Jan 1970 00:00:59 GMT' }, whole],
  [{ 'if-modified-since': 'yesterday' }, whole],
  [{ 'if-none-match': '"a"', range: 'bytes=99-' }, 304],
  [{ 'if-none-match': '"a"', 'cache-control': 'no-cache' }, 304],
])('the condition %o selects %o', (request, selected) => {
  expect(select(request)).toEqual(selected)
})
