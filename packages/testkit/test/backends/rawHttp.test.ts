import { type AddressInfo, createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { request } from '../../src/backends/rawHttp.js'

/** A service that says this to each client. */
const saying = async (...said: ReadonlyArray<string>): Promise<number> => {
  const server = createServer((socket) => socket.end(said.join('\r\n')))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const answerOf = async (...said: ReadonlyArray<string>) => {
  const { headers, body, complete } = await request(await saying('HTTP/1.1 200 OK', ...said), {
    method: 'GET',
    target: '/',
  })
  return { headers, body: body.toString(), complete }
}

const chunked = ['Transfer-Encoding: chunked', ''] as const

it('a body in chunks is put together, however its coding is spelled', async () => {
  for (const spelled of ['chunked', 'Chunked', 'CHUNKED']) {
    const answer = await answerOf(`transfer-encoding:${spelled}`, '', '2', '{}', '1', '!', '0', '', '')
    expect(answer).toMatchObject({ body: '{}!', complete: true })
  }
})

it.each([
  ['in a size', ['2', '{}', '1']],
  ['in a chunk', ['2', '{}', '5', '!']],
  ['behind a chunk', ['2', '{}']],
  ['before the last line', ['2', '{}', '0', '']],
  ['in a size that is no number', ['2', '{}', 'z', '{}', '0', '', '']],
  ['in a size below 0', ['2', '{}', '-2', '{}', '0', '', '']],
  ['in a size beyond all bounds', ['2', '{}', 'f'.repeat(300), '{}', '0', '', '']],
])('a body in chunks that ends %s is not complete', async (_, chunks) => {
  expect(await answerOf(...chunked, ...chunks)).toMatchObject({ complete: false })
})

it('a body is complete when it is as long as it says, and without a word when the connection ends', async () => {
  expect(await answerOf('Content-Length: 2', '', '{}')).toMatchObject({ body: '{}', complete: true })
  expect(await answerOf('Content-Length: 3', '', '{}')).toMatchObject({ body: '{}', complete: false })
  expect(await answerOf('Content-Length: 1', '', '{}')).toMatchObject({ body: '{}', complete: false })
  expect(await answerOf('', '{}')).toMatchObject({ body: '{}', complete: true })
})

it('headers stand as they came, but for the blanks around them', async () => {
  const { headers } = await answerOf('ETag:"x"', 'X-Long:   a b  ', 'Content-Length: 0', '', '')
  expect(headers).toEqual([
    ['ETag', '"x"'],
    ['X-Long', 'a b'],
    ['Content-Length', '0'],
  ])
})
