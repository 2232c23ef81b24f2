import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Envelope } from '@canopy/domain'
import { dir, files, worldWith } from '@canopy/test-support'
import { headerOf, memoryPorts, type RawResponse, request } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../src/http/listen.js'
import { startApp } from './startApp.js'

/** What makes the whole answer so many bytes. */
const triggerOf = (bytes: number): string => {
  const withText = (text: string) => JSON.stringify({ type: 't', text })
  const around = Envelope.triggerPeakJson({ type: 't', json: withText('') }).length
  return withText('x'.repeat(bytes - around))
}

const ports = memoryPorts(
  worldWith(
    [dir('few', ...files(2)), dir('many', ...files(200)), dir('most', ...files(5000))],
    {},
    [1024, 1023].map((bytes) => ({ id: `${bytes}`, value: triggerOf(bytes), state: 'valid' as const })),
  ),
)

const decoders = { br: brotliDecompressSync, gzip: gunzipSync }

describe('compression', () => {
  let service: RunningServer

  beforeAll(async () => {
    service = await startApp(ports)
  })
  afterAll(() => service.stop())

  const ask = (target: string, accepted?: string, method = 'GET'): Promise<RawResponse> =>
    request(service.port, {
      method,
      target,
      headers: [['Host', 'localhost'], ...(accepted === undefined ? [] : [['Accept-Encoding', accepted] as const])],
    })

  const listing = '/api/usercontent/v1/diritems/id/1/many'
  const streamed = '/api/usercontent/v1/tree/id/1/most'

  it.each([
    ['br', listing],
    ['gzip', listing],
    ['br', streamed],
    ['gzip', streamed],
  ] as const)('by %s of %s gives the same JSON', async (encoding, target) => {
    const plain = await ask(target)
    const compressed = await ask(target, encoding)
    expect(headerOf(plain, 'Content-Encoding')).toBe(undefined)
    expect(headerOf(compressed, 'Content-Encoding')).toBe(encoding)
    expect([plain.complete, compressed.complete]).toEqual([true, true])
    expect(decoders[encoding](compressed.body).equals(plain.body)).toBe(true)
    expect(compressed.body.length).toBeLessThan(plain.body.length / 4)
    expect([headerOf(plain, 'Vary'), headerOf(compressed, 'Vary')]).toEqual(['Accept-Encoding', 'Accept-Encoding'])
  })

  it.each([
    ['', undefined],
    ['identity', undefined],
    ['deflate', undefined],
    ['br;q=0, gzip;q=0', undefined],
    ['gzip;q=0.5, br;q=0.9', 'br'],
    ['gzip, br;q=0.1', 'gzip'],
    ['*', 'br'],
    ['GZIP', 'gzip'],
    ['BR;Q=0, GZip;Q=0.5', 'gzip'],
    ['gzip;q=0.5, br;Q=0.1', 'gzip'],
    ['*;Q=0', undefined],
    ['IDENTITY;Q=0, GZIP', 'gzip'],
  ])('for Accept-Encoding "%s" is %s', async (accepted, encoding) => {
    expect(headerOf(await ask(listing, accepted), 'Content-Encoding')).toBe(encoding)
  })

  it('has one weak entity tag for all spellings of an answer, and 304 for it', async () => {
    const tags = await Promise.all(
      [undefined, 'br', 'gzip'].map(async (accepted) => headerOf(await ask(listing, accepted), 'ETag')),
    )
    expect(new Set(tags).size).toBe(1)
    const again = await request(service.port, {
      method: 'GET',
      target: listing,
      headers: [
        ['Host', 'localhost'],
        ['Accept-Encoding', 'br'],
        ['If-None-Match', tags[0] ?? ''],
      ],
    })
    expect([again.status, headerOf(again, 'Vary'), headerOf(again, 'Content-Encoding')]).toEqual([
      304,
      'Accept-Encoding',
      undefined,
    ])
  })

  it.each([listing, streamed])('gives HEAD of %s the headers of GET', async (target) => {
    for (const accepted of ['br', 'gzip', 'identity']) {
      const [head, get] = [await ask(target, accepted, 'HEAD'), await ask(target, accepted)]
      const headers = ({ headers: all }: RawResponse) =>
        all.filter(([name]) => name !== 'Date' && name !== 'X-Request-Id')
      expect([head.status, head.body.length, headers(head)]).toEqual([200, 0, headers(get)])
    }
  })

  it('begins with answers of 1,024 bytes', async () => {
    const [small, large] = [
      await ask('/api/triggers/v1/peek/1023', 'br'),
      await ask('/api/triggers/v1/peek/1024', 'br'),
    ]
    expect([small.body.length, headerOf(small, 'Content-Encoding')]).toEqual([1023, undefined])
    expect([brotliDecompressSync(large.body).length, headerOf(large, 'Content-Encoding')]).toEqual([1024, 'br'])
  })

  it('leaves small answers as they are', async () => {
    const answer = await ask('/api/usercontent/v1/diritems/id/1/few', 'br')
    expect([headerOf(answer, 'Content-Encoding'), headerOf(answer, 'Vary')]).toEqual([undefined, undefined])
  })
})
