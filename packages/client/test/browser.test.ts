import { fileURLToPath } from 'node:url'
import { browsersToTest, dir, file, token, worldWith } from '@canopy/test-support'
import { memoryPorts } from '@canopy/testkit'
import { type Browser, chromium, type Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startApp } from '../../../apps/server/test/startApp.js'
import type { Page as InPage } from './browser/page.js'
import { cutResponse, emptyTree, error, respond, type StubService, startStub } from './stubService.js'

/** Bundles a file and its imports, minified for browsers. */
const bundled = async (file: string) => {
  const input = fileURLToPath(new URL(file, import.meta.url))
  const build = await rolldown({ input, platform: 'browser', resolve: { conditionNames: ['canopy-source', 'import'] } })
  const { output } = await build.generate({ format: 'esm', minify: true })
  await build.close()
  expect(output).toHaveLength(1)
  return output[0]
}

it('a bundle has no dependency and no API of Node', async () => {
  const { code, moduleIds } = await bundled('../src/index.ts')
  expect(moduleIds.filter((module) => !module.includes('/packages/client/src/'))).toEqual([])
  expect(code).toContain('diritems')
  expect(code).not.toMatch(/from\s*["']|\brequire\(["']|\bprocess\.|\bBuffer\./)
})

const user = '18446744073709551615'
const world = worldWith([file('a', 2n ** 64n - 1n, 2n ** 53n + 1n), dir('b %2F'), file('c', 3)], { id: user }, [
  { id: 'tür auf', value: '{"type":"x","n":18446744073709551615.0}', state: 'valid' },
])

declare const page: InPage

const tested = browsersToTest(process.env, 'The client')

describe.each(tested.browsers)('the client in %s, on a page of another origin', () => {
  let browser: Browser
  let tab: Page
  let site: StubService
  let service: Awaited<ReturnType<typeof startApp>>

  beforeAll(async () => {
    browser = await chromium.launch(tested.chromium())
    const { code } = await bundled('browser/page.ts')
    service = await startApp(memoryPorts(world))
    site = await startStub((request, response) => {
      const isScript = request.url === '/page.js'
      response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
      response.end(isScript ? code : '<!doctype html><script type="module" src="/page.js"></script>')
    })
    tab = await browser.newPage()
    await tab.goto(site.baseUrl, { waitUntil: 'load' })
  })
  afterAll(() => Promise.all([browser?.close(), site?.stop(), service?.stop()]))

  const operation = async (name: string, request: object, baseUrl = service.url) =>
    JSON.parse(await tab.evaluate(([url, ...rest]) => page.operation(url, ...rest), [baseUrl, name, request] as const))

  it('each operation resolves with every digit', async () => {
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
    ['an overloaded service', { error: 'overloaded', retryAfter: 9 }, respond(503, error('overloaded'), exposed)],
    ['a redirect', { error: 'unexpected response', status: 0 }, respond(302, '', { ...open, Location: '/' })],
  ])('%s fails without the token', async (_, failure, listener) => {
    const { baseUrl, stop } = await startStub(listener)
    onTestFinished(stop)
    const found = await operation('storageTree', { token, path: '/' }, baseUrl)
    expect(found).toMatchObject(failure)
    expect(JSON.stringify(found)).not.toContain(token)
  })
})
