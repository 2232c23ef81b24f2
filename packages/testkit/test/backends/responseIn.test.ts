import { describe, expect, it } from 'vitest'
import { responseIn } from '../../src/backends/rawHttp.js'

const sized = 'HTTP/1.1 200 OK\r\nETag: "a"\r\nContent-Length: 4\r\n\r\nbody'
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n'
const head = 'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n'

const found = (text: string, method = 'GET') => {
  const { response, end } = responseIn(Buffer.from(text), method) ?? {}
  return { status: response?.status, headers: response?.headers, body: response?.body.toString(), end }
}

describe('the first response of a kept connection', () => {
  it('ends with its length', () => {
    const headers = [
      ['ETag', '"a"'],
      ['Content-Length', '4'],
    ]
    expect(found(`${sized}HTTP/1.1 404`)).toEqual({ status: 200, headers, body: 'body', end: sized.length })
  })

  it('ends with its last chunk', () => {
    expect(found(`${chunked}more`)).toMatchObject({ body: 'abcd', end: chunked.length })
  })

  it('has no body when it answers HEAD or is 304', () => {
    expect(found(`${head}${sized}`)).toMatchObject({ status: 304, body: '', end: head.length })
    expect(found(sized, 'HEAD')).toMatchObject({ body: '', end: sized.length - 4 })
  })

  it('is not there before it is whole', () => {
    for (const whole of [sized, chunked, head]) {
      const lengths = Array.from({ length: whole.length }, (_, length) => length)
      expect(lengths.filter((length) => found(whole.slice(0, length)).end !== undefined)).toEqual([])
    }
  })
})
