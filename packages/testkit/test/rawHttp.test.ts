import { describe, expect, it } from 'vitest'
import { responseIn } from '../src/backends/rawHttp.js'

const found = (text: string, method = 'GET') => {
  const { response, end } = responseIn(Buffer.from(text), method) ?? {}
  return { headers: response?.headers, body: response?.body.toString(), complete: response?.complete, end }
}

describe('the first response of a connection', () => {
  const sized = 'HTTP/1.1 200 OK\r\nETag:"a"\r\nX-Long:   a b  \r\nContent-Length: 4\r\n\r\nbody'
  const chunkedBy = (coding: string) => `HTTP/1.1 200 OK\r\n${coding}\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n`
  const chunked = chunkedBy('Transfer-Encoding: chunked')
  const head = 'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n'

  it.each([
    ['with its length', sized, 'HTTP/1.1 404', 'GET', 'body', sized.length],
    ['with its last chunk', chunked, 'more', 'GET', 'abcd', chunked.length],
    ['with its last chunk, in any spelling', chunkedBy('transfer-encoding:CHUNKED'), '', 'GET', 'abcd', undefined],
    ['with its head if it is 304', head, sized, 'GET', '', head.length],
    ['with its head if it answers HEAD', sized, '', 'HEAD', '', sized.length - 4],
  ])('ends %s', (_, text, more, method, body, end = text.length) => {
    expect(found(`${text}${more}`, method)).toMatchObject({ body, end, complete: true })
  })

  it('is not complete before its last byte', () => {
    for (const whole of [sized, chunked, head]) {
      const lengths = Array.from({ length: whole.length }, (_, length) => length)
      expect(lengths.filter((length) => found(whole.slice(0, length)).complete)).toEqual([])
    }
  })

  it.each(['z', '-2', 'f'.repeat(300)])('is not complete with a chunk of size %s', (size) => {
    const text = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n${size}\r\n{}\r\n0\r\n\r\n`
    expect(found(text)).toMatchObject({ complete: false })
  })

  it('has its headers without the blanks around them', () => {
    expect(found(sized).headers).toEqual([
      ['ETag', '"a"'],
      ['X-Long', 'a b'],
      ['Content-Length', '4'],
    ])
  })
})
