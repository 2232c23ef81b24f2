import { type AddressInfo, createServer } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { baseUrlFromString, baseUrlToText, request, responseIn, targetBehind } from '../src/backends/rawHttp.js'

/** Parses the response of a server that sends these lines. */
const answerOf = async (...said: ReadonlyArray<string>) => {
  const server = createServer((socket) => socket.end(['HTTP/1.1 200 OK', ...said].join('\r\n')))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const { headers, body, complete } = await request(port, { method: 'GET', target: '/' })
  return { headers, body: body.toString(), complete }
}

describe('the answer to a request', () => {
  it('has its chunks put together, however their coding is spelled', async () => {
    for (const coding of ['chunked', 'Chunked', 'CHUNKED'])
      expect(await answerOf(`transfer-encoding:${coding}`, '', '2', '{}', '1', '!', '0', '', '')).toMatchObject({
        body: '{}!',
        complete: true,
      })
  })

  it.each([
    ['in a size', ['2', '{}', '1']],
    ['in a chunk', ['2', '{}', '5', '!']],
    ['behind a chunk', ['2', '{}']],
    ['before the last line', ['2', '{}', '0', '']],
    ['in a size that is no number', ['2', '{}', 'z', '{}', '0', '', '']],
    ['in a size below 0', ['2', '{}', '-2', '{}', '0', '', '']],
    ['in a size beyond all bounds', ['2', '{}', 'f'.repeat(300), '{}', '0', '', '']],
  ])('is not complete when its chunks end %s', async (_, chunks) => {
    expect(await answerOf('Transfer-Encoding: chunked', '', ...chunks)).toMatchObject({ complete: false })
  })

  it('has its headers as they came, but for the blanks around them', async () => {
    const { headers } = await answerOf('ETag:"x"', 'X-Long:   a b  ', 'Content-Length: 0', '', '')
    expect(headers).toEqual([
      ['ETag', '"x"'],
      ['X-Long', 'a b'],
      ['Content-Length', '0'],
    ])
  })
})

describe('the first response of a kept connection', () => {
  const sized = 'HTTP/1.1 200 OK\r\nETag: "a"\r\nContent-Length: 4\r\n\r\nbody'
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n'
  const head = 'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n'

  const found = (text: string, method = 'GET') => {
    const { response, end } = responseIn(Buffer.from(text), method) ?? {}
    return { status: response?.status, body: response?.body.toString(), complete: response?.complete, end }
  }

  it.each([
    ['with its length', sized, 'HTTP/1.1 404', 'GET', 'body', sized.length],
    ['with its last chunk', chunked, 'more', 'GET', 'abcd', chunked.length],
    ['with its head when it is 304', head, sized, 'GET', '', head.length],
    ['with its head when it answers HEAD', sized, '', 'HEAD', '', sized.length - 4],
  ])('ends %s', (_, text, more, method, body, end) => {
    expect(found(`${text}${more}`, method)).toMatchObject({ body, end, complete: true })
  })

  it('is not complete before it is whole', () => {
    for (const whole of [sized, chunked, head]) {
      const lengths = Array.from({ length: whole.length }, (_, length) => length)
      expect(lengths.filter((length) => found(whole.slice(0, length)).complete)).toEqual([])
    }
  })
})

describe('where a service answers', () => {
  it.each([
    ['HTTP://Example.ORG', 'http://example.org'],
    ['https://example.org:443/', 'https://example.org'],
    ['https://[::1]:8443/base/', 'https://[::1]:8443/base'],
    ['http://127.0.0.1:81/a/b//', 'http://127.0.0.1:81/a/b'],
  ])('%s', (text, same) => {
    expect(E.map(baseUrlToText)(baseUrlFromString(text))).toEqual(E.right(same))
  })

  it('is not repeated with the password that was in it', () => {
    expect(baseUrlFromString('http://ann:secret@b')).toEqual(E.left(expect.not.stringContaining('secret')))
  })

  it.each([
    ['/api/../x', '/base/api/../x'],
    ['//api', '/base//api'],
    ['*', '*'],
    ['http://localhost/api', 'http://localhost/base/api'],
    ['HTTP://localhost/api', 'HTTP://localhost/base/api'],
  ])('stands before the target %s', (target, sent) => {
    expect(targetBehind(new URL('http://a/base/'), target)).toBe(sent)
  })
})
