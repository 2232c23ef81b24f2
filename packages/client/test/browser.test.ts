import { browsersToTest } from '@canopy/test-support'
import { dir, file, type World } from '@canopy/testkit'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundled } from './browser/bundled.js'
import type { Page as InPage } from './browser/page.js'
import { type Service, serving } from './serving.js'
import { cutResponse, emptyTree, error, neverRespond, respond, type StubService, startStub } from './stubService.js'

const token = `cnp_${'b'.repeat(42)}A`
const user = '18446744073709551615'

const world: World = {
  accounts: [
    {
      id: user,
      verified: true,
      settings: [{ path: '/', visibility: 'public' }],
      tokens: [{ token, scope: '/', state: 'valid' }],
      area: [file('a', 2n ** 64n - 1n, 2n ** 53n + 1n), dir('b %2F'), file('c', 3)],
    },
  ],
  triggers: [{ id: 'tür auf', value: '{"type":"x","n":18446744073709551615.0}', state: 'valid' }],
}

declare const page: InPage

const tested = browsersToTest(process.env, 'The client')

describe.each(tested.browsers)('the client in %s, on a page of another origin', () => {
  let browser: Browser
  let tab: Page
  let site: StubService
  let service: Service
  const others: Array<StubService> = []

  const startOther = async (...given: Parameters<typeof startStub>): Promise<string> => {
    const started = await startStub(...given)
    others.push(started)
    return started.baseUrl
  }

  beforeAll(async () => {
    browser = await chromium.launch(tested.chromium())
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

  it('each operation resolves with every digit', async () => {
    expect(service.baseUrl).not.toBe(site.baseUrl)
    const visibility = { inherited: true, visibility: 'public' }
    const a = { name: 'a', size: '18446744073709551615n', last_modified: '9007199254740993n', visibility }
    expect(await operation('storageTree', { token, path: '/a' })).toEqual({ type: 'file', ...a })
    expect(await operation('userContentTree', { user, path: '/b %2F' })).toMatchObject({ name: 'b %2F', content: [] })
    const first = await operation('storageDirItems', { token, path: '/', limit: 1 })
    expect(first).toEqual({ items: [{ is_file: true, ...a }] })
    const rest = await operation('userContentDirItems', { user, path: '/', after: 'a' })
    expect(rest.items).toMatchObject([{ name: 'b %2F' }, { name: 'c' }])
    const peeked = await operation('triggerPeek', { id: 'tür auf' })
    expect(peeked).toMatchObject({ type: 'x', json: '{"type":"x","n":18446744073709551615.0}' })
    expect(await operation('triggerPeek', { id: 'none' })).toEqual({ error: 'trigger not found' })
  })

  const open = { 'Access-Control-Allow-Origin': '*' }
  const exposed = { ...open, 'Access-Control-Expose-Headers': 'Retry-After', 'Retry-After': '9' }

  it.each([
    ['a body that ends too early', { error: 'incomplete response' }, cutResponse(open)],
    ['a service without CORS headers', { error: 'no response' }, respond(200, emptyTree)],
    ['a service that never answers', { error: 'timed out' }, neverRespond],
    ['an overloaded service', { error: 'overloaded', retryAfter: 9 }, respond(503, error('overloaded'), exposed)],
    ['a redirect', { error: 'unexpected response', status: 0 }, respond(302, '', { ...open, Location: '/' })],
  ])('%s fails without the token', async (_, failure, listener) => {
    const request = { token, path: '/' }
    const found = await operation('storageTree', request, await startOther(listener), { timeoutMs: 1000 })
    expect(found).toMatchObject(failure)
    expect(JSON.stringify(found)).not.toContain(token)
  })

  it('a call can be aborted', async () => {
    const url = await startOther(neverRespond)
    const aborted = await tab.evaluate(([at, key]) => page.aborted(at, key), [url, token] as const)
    expect(JSON.parse(aborted)).toEqual({ error: 'aborted' })
  })
})
