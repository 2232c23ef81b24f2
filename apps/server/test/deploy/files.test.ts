import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dir, type Nginx, nginxIsTested, startNginx, worldWith } from '@canopy/test-support'
import { memoryPorts, request, textFile } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canopy } from '../canopy.js'
import { settingsAt, startService } from '../inProcess.js'
import { seedData, serverOver } from '../startServer.js'

const recipe = readFileSync(fileURLToPath(new URL('../../../../deploy/nginx-files.conf', import.meta.url)), 'utf8')

const given = settingsAt({ '/open': 'public', '/unlisted': 'hidden', '/site': 'public', '/site/index.html': 'private' })
const one = worldWith(
  [
    dir(
      'open',
      textFile('a.txt', 'the text of a'),
      textFile('sea & sky ü%.txt', 'odd'),
      textFile('two\nlines.txt', 'two lines'),
      textFile('page.html', '<script>'),
      { type: 'link', name: 'link.txt', target: '../closed/secret.txt' },
      { type: 'link', name: 'linked', target: '../closed' },
    ),
    dir('closed', textFile('two\nlines.txt', 'SECRET two lines'), textFile('secret.txt', 'SECRET closed')),
    dir('unlisted', textFile('by-name.txt', 'for those who know')),
    dir('site', textFile('index.html', 'SECRET index')),
  ],
  { settings: given },
)
const two = worldWith([textFile('secret.txt', 'SECRET of another account')], { id: '2', tokens: [], settings: [] })

describe.runIf(nginxIsTested)('files that nginx serves after it has asked Canopy', () => {
  let nginx: Nginx

  /** The shipped recipe, with the addresses and the data directory of this test. */
  const shippedFor = (port: number, asked: { readonly port: number }): string =>
    recipe
      .replace('127.0.0.1:8080', `127.0.0.1:${asked.port}`)
      .replace('127.0.0.1:8081', `127.0.0.1:${port}`)
      .replace('/var/lib/canopy', over.data)

  const over = serverOver((data) => seedData(data, { accounts: [...one.accounts, ...two.accounts], triggers: [] }), {
    CANOPY_TRUSTED_PROXIES: '127.0.0.1',
  })
  beforeAll(async () => {
    nginx = await startNginx((port) => `access_log off; types { text/html html; } ${shippedFor(port, over.server)}`)
  })
  afterAll(() => nginx?.stop())

  const ask = (target: string, more: Readonly<Record<string, string>> = {}, method = 'GET', port = nginx.port) => {
    const headers = Object.entries({ Host: 'contents', Connection: 'close', ...more })
    return request(port, { method, target, headers })
  }

  it.each([
    ['/id/1/open/a.txt', 200, 'the text of a'],
    ['/id/1/open/a.txt?depth=9&x=1', 200, 'the text of a'],
    ['/id/1/open%2Fa.txt', 200, 'the text of a'],
    ['/id/1/open/sea%20&%20sky%20%C3%BC%25.txt', 200, 'odd'],
    ['/id/1/open/two%0Alines.txt', 200, 'two lines'],
    ['/id/1/unlisted/by-name.txt', 200, 'for those who know'],
  ])('%s is %i', async (target, status, text) => {
    const answer = await ask(target)
    expect([answer.status, answer.body.toString()]).toEqual([status, text])
  })

  it.each([
    ['a private file', '/id/1/closed/secret.txt', 403],
    ['a private name with a newline', '/id/1/closed/two%0Alines.txt', 403],
    ['a missing file', '/id/1/open/b.txt', 404],
    ['a directory', '/id/1/open', 404],
    ['a directory with an index that is private', '/id/1/site/', 404],
    ['a path through a file', '/id/1/open/a.txt/b', 409],
    ['a link to a file', '/id/1/open/link.txt', 404],
    ['a path through a link', '/id/1/open/linked/secret.txt', 404],
    ['encoded dots', '/id/1/open/%2e%2e/closed/secret.txt', 404],
    ['dots before an encoded slash', '/id/1/open/..%2Fclosed/secret.txt', 404],
    ['dots to another account', '/id/1/../2/secret.txt', 404],
    ['an encoded beginning', '/%69d/1/closed/secret.txt', 404],
    ['a slash encoded twice', '/id/1/open%252Fa.txt', 403],
    ['a fragment', '/id/1/closed/secret.txt#/../../open/a.txt', 403],
    ['the address of the internal request', '/canopy', 404],
  ])('%s is not served: %s is %i', async (_, target, status) => {
    const answer = await ask(target)
    expect([answer.status, answer.body.toString().includes('SECRET')]).toEqual([status, false])
  })

  it('have ranges, conditions, HEAD and headers of hostile content', async () => {
    const { status, headers, body } = await ask('/id/1/open/a.txt', { Range: 'bytes=4-7' })
    expect([status, body.toString()]).toEqual([206, 'text'])
    const [, etag = ''] = headers.find(([name]) => name === 'ETag') ?? []
    expect((await ask('/id/1/open/a.txt', { 'If-None-Match': etag })).status).toBe(304)
    expect((await ask('/id/1/open/a.txt', { 'If-None-Match': '*' })).status).toBe(304)
    expect((await ask('/id/1/closed/secret.txt', { 'If-None-Match': '*' })).status).toBe(403)
    expect(await ask('/id/1/open/a.txt', {}, 'HEAD')).toMatchObject({ status: 200, body: Buffer.of() })
    expect((await ask('/id/1/open/a.txt', {}, 'POST')).status).toBe(405)
    const page = await ask('/id/1/open/page.html')
    expect(page.headers).toContainEqual(['Content-Security-Policy', "default-src 'none'; sandbox"])
    expect(page.headers).toContainEqual(['X-Content-Type-Options', 'nosniff'])
    expect(page.headers).toContainEqual(['Cache-Control', 'no-cache'])
  })

  it('are forbidden once the command has returned', async () => {
    writeFileSync(join(over.data, 'areas/1/open/soon.txt'), 'SECRET soon')
    expect((await ask('/id/1/open/soon.txt')).status).toBe(200)
    await canopy(over.data, 'visibility', 'set', '1', '/open/soon.txt', 'private')
    expect((await ask('/id/1/open/soon.txt')).status).toBe(403)
  })

  it('are 503 while Canopy is overloaded, and 502 without it', async () => {
    const busy = await startService(memoryPorts(worldWith()), { maxAdmitted: 0 })
    const proxy = await startNginx((port) => `access_log off; ${shippedFor(port, busy)}`)
    expect((await ask('/id/1/open/a.txt', {}, 'GET', proxy.port)).status).toBe(503)
    await busy.stop()
    expect((await ask('/id/1/open/a.txt', {}, 'GET', proxy.port)).status).toBe(502)
    await proxy.stop()
  })
})
