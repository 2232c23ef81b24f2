import { describe, expect, it } from 'vitest'
import { type Found, patternOf, search } from '../src/searchLines.js'

const type = 'application/x-ndjson'

const responseOf = (text: string, chunkBytes: number, contentType = type): Response => {
  const bytes = new TextEncoder().encode(text)
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let start = 0; start < bytes.length; start += chunkBytes)
        controller.enqueue(bytes.slice(start, start + chunkBytes))
      controller.close()
    },
  })
  return new Response(body, { headers: { 'content-type': contentType } })
}

const line = (path: string, size: bigint): string =>
  `{"path":${JSON.stringify(path)},"type":"file","size":${size},"last_modified":7,"visibility":{}}\n`

/** Searches with prepared responses. Returns the requests, the results and the failure. */
const searchIn = async (responses: ReadonlyArray<Response>) => {
  const asked: Array<string> = []
  const found: Array<Found> = []
  const left = [...responses]
  const send = async (url: string): Promise<Response> => {
    asked.push(url)
    return left.shift() ?? new Response('', { status: 500 })
  }
  const failure = await search({
    url: 'http://canopy/tree',
    text: 'a*',
    signal: new AbortController().signal,
    onFound: (each) => found.push(each),
    fetch: send,
  })
  return { asked, found, failure }
}

const largest = 2n ** 64n - 1n
const lines = `${line('/photos/ä/a*.jpg', largest)}{"type":"at","path":"/x"}\n`

describe('a search below a directory', () => {
  it.each([1, 2, 3, 7, 1000])('reads lines in chunks of %i bytes, with every digit', async (chunkBytes) => {
    const { found, failure, asked } = await searchIn([responseOf(`${lines}{"type":"end"}\n`, chunkBytes)])
    expect(found).toEqual([{ names: ['photos', 'ä', 'a*.jpg'], isFile: true, size: largest, lastModified: 7n }])
    expect([failure, asked]).toEqual([undefined, ['http://canopy/tree?name=*a%5C**']])
  })

  it('continues after the path where the budget of a request ends', async () => {
    const { found, failure, asked } = await searchIn([
      responseOf(`${lines}{"type":"next","after":"/photos/ä & b"}\n`, 10),
      responseOf(`${line('/z', 1n)}{"type":"end"}\n`, 10),
    ])
    expect([found.length, failure]).toEqual([2, undefined])
    expect(asked[1]).toBe('http://canopy/tree?name=*a%5C**&after=%2Fphotos%2F%C3%A4%20%26%20b')
  })

  it.each([
    ['breaks off', responseOf(lines, 10), 'failed'],
    ['is not in lines', responseOf('{"type":"tree"}', 10, 'application/json'), 'failed'],
    ['is refused', new Response('', { status: 403 }), 'refused'],
    ['is an error', new Response('', { status: 502 }), 'failed'],
  ])('fails if the answer %s', async (_, response, failure) => {
    expect((await searchIn([response])).failure).toBe(failure)
  })

  it('escapes the characters of patterns', () => {
    expect(patternOf('50% *?\\')).toBe('*50% \\*\\?\\\\*')
  })
})
