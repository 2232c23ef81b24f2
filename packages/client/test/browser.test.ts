import { arbitraries, dir, file, type World } from '@canopy/testkit'
import * as fc from 'fast-check'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundled } from './browser/bundled.js'
import { browsers, openBrowser } from './browser/chromium.js'
import type { Page as InPage } from './browser/page.js'
import { type Service, serving } from './serving.js'
import { cutResponse, emptyTree, error, neverRespond, respond, type StubService, startStub } from './stubService.js'

const token = `cnp_${'b'.repeat(42)}A`
const oddToken = `cnp_${'o'.repeat(42)}A`
const oddNames = [...new Set(fc.sample(arbitraries.name, 300))]

const account = { verified: true, settings: [{ path: '/', visibility: 'public' }] } as const

const world: World = {
  accounts: [
    {
      ...account,
      id: '18446744073709551615',
      tokens: [{ token, scope: '/', state: 'valid' }],
      area: [file('a', 2n ** 64n - 1n, 2n ** 53n + 1n), dir('b %2F'), file('c', 3)],
    },
    {
      ...account,
      id: '1',
      tokens: [{ token: oddToken, scope: '/', state: 'valid' }],
      area: oddNames.map((name) => file(name)),
    },
  ],
  triggers: [{ id: 'tür auf', value: '{"type":"x","n":18446744073709551615.0}', state: 'valid' }],
}

declare const page: InPage

describe.each(browsers)('the client in %s, on a page of another origin', () => {
  let browser: Browser
  let tab: Page
  let site: StubService
  let service: Service
  const others: Array<StubService> = []

  const other = async (...given: Parameters<typeof startStub>): Promise<string> => {
    const opened = await startStub(...given)
    others.push(opened)
    return opened.baseUrl
  }

  beforeAll(async () => {
    browser = await openBrowser()
    const { code } = await bundled('./page.ts')
    service = await serving(world)
    site = await startStub((request, response) => {
      const isScript = request.url === '/page.js'
      response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
      response.end(isScript ? code : '<!doctype html><script type="module" src="/page.js"></script>')
    })
    tab = await browser.newPage()
    await tab.goto(site.baseUrl, { waitUntil: 'load' })
  })
  afterAll(async () => {
    await browser?.close()
    await Promise.all([site, service, ...others].map((each) => each?.stop()))
  })

  const operation = async (name: string, request: object, baseUrl: string = service.baseUrl, call = {}) =>
    JSON.parse(
      await tab.evaluate(([url, ...rest]) => page.operation(url, ...rest), [baseUrl, name, request, call] as const),
    )

  const visibility = { inherited: true, visibility: 'public' }

  it('each operation resolves with every digit', async () => {
    expect(service.baseUrl).not.toBe(site.baseUrl)
    const a = { name: 'a', size: '18446744073709551615n', last_modified: '9007199254740993n', visibility }
    expect(await operation('storageTree', { token, path: '/a' })).toEqual({ type: 'file', ...a })
    const user = '18446744073709551615'
    expect(await operation('userContentTree', { user, path: '/b %2F' })).toMatchObject({ name: 'b %2F', content: [] })
    expect(await operation('userContentTree', { user, path: '/', depth: 0 })).not.toHaveProperty('content')
    expect(await operation('storageDirItems', { token, path: '/', limit: 1 })).toEqual({
      items: [{ is_file: true, ...a }],
    })
    expect((await operation('userContentDirItems', { user, path: '/', after: 'a' })).items).toMatchObject([
      { name: 'b %2F' },
      { name: 'c' },
    ])
    expect(await operation('triggerPeek', { id: 'tür auf' })).toMatchObject({
      type: 'x',
      json: '{"type":"x","n":18446744073709551615.0}',
    })
  })

  it('pages are followed across origins', async () => {
    const listed = await tab.evaluate(([url, key]) => page.listed(url, key, 2), [service.baseUrl, token] as const)
    expect(JSON.parse(listed)).toEqual({ names: ['a', 'b %2F', 'c'], pages: [2, 1] })
  })

  it('finds every legal name', async () => {
    expect(oddNames.length).toBeGreaterThan(50)
    const unfound = await tab.evaluate(([url, key, names]) => page.unfound(url, key, names), [
      service.baseUrl,
      oddToken,
      oddNames,
    ] as const)
    expect(unfound).toEqual([])
  })

  it('failures keep their error names', async () => {
    const unknown = `cnp_${'z'.repeat(42)}A`
    expect(await operation('storageTree', { token: unknown, path: '/' })).toEqual({ error: 'invalid token' })
    expect(await operation('triggerPeek', { id: 'none' })).toEqual({ error: 'trigger not found' })
    expect(await operation('userContentTree', { user: '1', path: '/', depth: -1 })).toMatchObject({
      error: 'malformed input',
    })
  })

  const open = { 'Access-Control-Allow-Origin': '*' }

  it.each([
    ['a body that ends too early', 'incomplete response', cutResponse(open)],
    ['a body that is not JSON', 'malformed response', respond(200, 'hello', open)],
    ['a service without CORS headers', 'no response', respond(200, emptyTree)],
    ['a service that never answers', 'timed out', neverRespond],
    [
      'an overloaded service with Retry-After',
      'overloaded',
      respond(503, error('overloaded'), {
        ...open,
        'Access-Control-Expose-Headers': 'Retry-After',
        'Retry-After': '9',
      }),
    ],
  ])('%s fails with %s', async (_, name, listener) => {
    const answer = await operation('storageTree', { token, path: '/' }, await other(listener), { timeoutMs: 1000 })
    expect(answer).toMatchObject(name === 'overloaded' ? { error: name, retryAfter: 9 } : { error: name })
    expect(JSON.stringify(answer)).not.toContain(token)
  })

  it('a redirect is an unexpected response with status 0', async () => {
    const redirecting = await other(respond(302, '', { ...open, Location: '/' }))
    const answer = await operation('storageTree', { token, path: '/' }, redirecting)
    expect(answer).toEqual({ error: 'unexpected response', status: 0 })
    expect(JSON.stringify(answer)).not.toContain(token)
  })

  it('a call can be aborted', async () => {
    const url = await other(neverRespond)
    const aborted = await tab.evaluate(([at, key]) => page.aborted(at, key), [url, token] as const)
    expect(JSON.parse(aborted)).toEqual({ error: 'aborted' })
  })
})
