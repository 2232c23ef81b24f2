import { rm } from 'node:fs/promises'
import { dir, file, token, worldWith } from '@canopy/test-support'
import { headerOf, request } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { plantData } from './plantData.js'
import { type Server, startServer, temporaryData } from './startServer.js'

const failure = (name: string): string => `{"type":"error","error":"${name}"}`

describe('with CANOPY_BASE_PATH', () => {
  let data = ''
  let server: Server
  beforeAll(async () => {
    data = await temporaryData()
    await plantData(data, worldWith([dir('photos', file('a.txt'), file('b.txt'))]))
    server = await startServer({ CANOPY_DATA: data, CANOPY_BASE_PATH: '/our/files' })
  })
  afterAll(async () => {
    await server.end()
    await rm(data, { recursive: true })
  })

  const ask = (target: string, method = 'GET') => request(server.port, { method, target, headers: [['Host', 'x']] })

  it.each([
    '/api/usercontent/v1/tree/id/1',
    '/api/usercontent/v1/diritems/id/1/photos?limit=1',
    `/api/storage/v1/tree/${token}/photos%2Fa.txt`,
    '/healthz',
    '/readyz?x',
    '/openapi.json',
    '/docs',
    '/browse/id/1/photos',
    '/',
    '',
  ])('everything is below it, and only there: %s', async (target) => {
    expect((await ask(`/our/files${target}`)).status).toBe(200)
    for (const outside of [
      target || '/',
      `/our${target}`,
      `/our/filesx${target}`,
      `/our/files2${target}`,
      `/Our/files${target}`,
    ])
      expect([outside, (await ask(outside)).body.toString()]).toEqual([outside, failure('no such route')])
  })

  it.each([
    '/our%2Ffiles/healthz',
    '/our/%66iles/healthz',
    '//our/files/healthz',
    '/our//files/healthz',
    '/x/../our/files/healthz',
  ])('is one spelling: %s', async (target) => {
    expect((await ask(target)).body.toString()).toBe(failure('no such route'))
  })

  it.each(['http://x/our/files/healthz', '/our/files/healthz#', '*'])(
    'refuses odd targets as ever: %s',
    async (target) => {
      expect((await ask(target)).body.toString()).toBe(failure('bad request'))
    },
  )

  it.each(['', '/', '/docs', '/browse/id/1/photos/'])(
    'the files of its pages are below it, with no redirect: %s',
    async (target) => {
      const html = (await ask(`/our/files${target}`)).body.toString()
      const addresses = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address = '']) => address)
      expect(addresses.length).toBeGreaterThan(2)
      for (const address of addresses) {
        const { pathname } = new URL(address, `http://x/our/files${target}`)
        expect(pathname).toMatch(/^\/our\/files\/assets\//)
        expect((await ask(pathname)).status).toBe(200)
      }
    },
  )

  it('links and lines of the log are the same as without it', async () => {
    const page = await ask('/our/files/api/usercontent/v1/diritems/id/1/photos?limit=1')
    expect(headerOf(page, 'Link')).toBe('<?limit=1&after=a.txt>; rel="next"')
    await ask(`/our/files/api/storage/v1/tree/${token}/photos`)
    await expect.poll(() => server.lines.at(-1)).toMatchObject({ target: '/api/storage/v1/tree/[token]/photos' })
    expect(server.lines[0]).toMatchObject({ url: `http://127.0.0.1:${server.port}/our/files` })
  })
})
