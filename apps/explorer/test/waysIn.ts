import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { promisify } from 'node:util'
import { findNginx, freePort, startNginx } from '@canopy/test-support'
import { expect, it } from 'vitest'
import { bin } from '../../server/test/canopy.js'
import { temporaryData } from '../../server/test/startServer.js'
import { names, type Opened, rowsOf, serverOn, state } from './opened.js'
import { scopedToken, token, trigger, unknownToken, unverifiedToken } from './world.js'

const ownerNames = ['diary', 'empty', 'odd', 'photos']
const visitorNames = ['empty', 'odd', 'photos']

export const waysIn = (opened: () => Opened): void => {
  it('/ answers with the page itself, whose field opens the files of a user id', async () => {
    const page = await opened().tab('/')
    expect(page.url()).toBe(`${opened().url}/`)
    await expect.poll(() => page.innerText('.lead')).toContain('Canopy shows')
    expect(await page.locator('.start .keys kbd').allInnerTexts()).toEqual(['Enter', 'Backspace', '/'])
    await expect.poll(() => page.getAttribute('.links a:text("API")', 'href')).toBe(`${opened().url}/docs`)
    await page.fill('#credential', 'nobody')
    await page.click('text=Open')
    await expect.poll(() => page.innerText('.problem')).toContain('neither')
    await page.fill('#credential', '1')
    await page.click('text=Open')
    await rowsOf(page, visitorNames)
    expect(page.url()).toBe(`${opened().url}/browse/id/1`)
  })

  it("a visitor's link can be shared and reloaded, in the byte order of the service", async () => {
    const page = await opened().tab('/browse/id/1/photos')
    await rowsOf(page, ['IMG_10.jpg', 'IMG_2.jpg', 'raw'])
    await page.reload()
    await rowsOf(page, ['IMG_10.jpg', 'IMG_2.jpg', 'raw'])
    const other = await opened().tab(page.url())
    await rowsOf(other, ['IMG_10.jpg', 'IMG_2.jpg', 'raw'])
    expect(await other.title()).toBe('photos – Canopy')
  })

  it('the field takes a token, which is in no address', async () => {
    const page = await opened().tab('/browse')
    await page.fill('#credential', token)
    await page.keyboard.press('Enter')
    await rowsOf(page, ownerNames)
    expect(page.url()).toBe(`${opened().url}/browse/files`)
  })

  it('a token in the fragment moves to the sessionStorage of the tab, out of the address and of its entry in the history', async () => {
    const from = opened().asked.length
    const page = await opened().tab(`/browse/#token=${token}`)
    await rowsOf(page, ownerNames)
    expect(page.url()).toBe(`${opened().url}/browse/files`)
    expect(await page.evaluate(() => [history.length, Object.values(sessionStorage)])).toEqual([2, [token]])
    expect(await page.evaluate(() => JSON.stringify([localStorage, document.cookie]))).not.toContain(token)
    const navigation = await page.evaluate(() => (history.state === null ? '' : JSON.stringify(history.state)))
    expect(navigation).not.toContain(token)
    await page.goto(`${opened().url}/docs`)
    await page.goBack()
    await rowsOf(page, ownerNames)
    expect(page.url()).not.toContain('#')
    const withToken = opened()
      .asked.slice(from)
      .filter((url) => url.includes(token))
    expect(
      withToken.filter((url) => !new URL(url).pathname.startsWith('/api/storage/v1/') && !url.includes('#')),
    ).toEqual([])
  })

  it('a token can be pasted behind a deep link, also in a tab that has the page open', async () => {
    const page = await opened().tab('/browse/files/photos')
    expect(await state(page, 'no token')).toContain('Enter your token')
    await page.evaluate((text) => {
      location.hash = `token=${text}`
    }, token)
    await rowsOf(page, ['IMG_10.jpg', 'IMG_2.jpg', 'drafts', 'invoice.pdf', 'raw'])
    expect(page.url()).toBe(`${opened().url}/browse/files/photos`)
  })

  it('Forget removes the token from the tab', async () => {
    const page = await opened().tab(`/browse/#token=${token}`)
    await rowsOf(page, ownerNames)
    await page.click('text=Forget')
    await page.waitForSelector('#credential')
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('cnp_')
    await page.goBack()
    await state(page, 'no token')
    expect(await names(page)).toEqual([])
  })

  it('a new tab asks again, also one that a link opened', async () => {
    const page = await opened().tab(`/browse/#token=${token}`)
    await rowsOf(page, ownerNames)
    const opening = page.context().waitForEvent('page')
    await page.click('.rows a:has-text("photos")', { modifiers: ['ControlOrMeta'] })
    const other = await opening
    expect(await state(other, 'no token')).toContain('token')
    expect(other.url()).toBe(`${opened().url}/browse/files/photos`)
    await other.fill('#credential', token)
    await other.keyboard.press('Enter')
    await rowsOf(other, ['IMG_10.jpg', 'IMG_2.jpg', 'drafts', 'invoice.pdf', 'raw'])
  })

  it('copied links never carry a token', async () => {
    const page = await opened().tab(`/browse/files/photos#token=${token}`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await page.waitForSelector('.rows .row')
    await page.click('header >> text=Copy link')
    await page.waitForSelector('.news.shown:has-text("without your token")')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${opened().url}/browse/files/photos`)
    expect(await page.content()).not.toContain(token)
  })

  it('answers are fetched with no-store', async () => {
    const page = await opened().tab('/')
    const asking = page.waitForRequest(/\/api\/storage\/v1\/diritems\//)
    await page.fill('#credential', token)
    await page.keyboard.press('Enter')
    const headers = await (await asking).allHeaders()
    // What the browser sends for it.
    expect([headers['cache-control'], headers['referer'], headers['cookie']]).toEqual([
      'no-cache',
      undefined,
      undefined,
    ])
  })

  it('a scoped token says that the rest is outside, and opens its path', async () => {
    const page = await opened().tab(`/browse/#token=${scopedToken}`)
    expect(await state(page, 'outside')).toContain('a part of the area')
    await page.fill('#path', '/photos')
    await page.keyboard.press('Enter')
    await rowsOf(page, ['IMG_10.jpg', 'IMG_2.jpg', 'drafts', 'invoice.pdf', 'raw'])
  })

  it.each([
    ['invalid token', unknownToken, 'mistyped'],
    ['invalid token', 'cnp_short', 'mistyped'],
    ['not verified', unverifiedToken, 'operator'],
  ])('says what is wrong: %s', async (name, wrong, saying) => {
    const page = await opened().tab(`/browse/files#token=${wrong}`)
    expect(await state(page, name)).toContain(saying)
  })

  it('/browse/peek shows the type and value of a trigger as a tree, and that it was not fired', async () => {
    const page = await opened().tab(`/browse/peek#trigger=${encodeURIComponent(trigger)}`)
    await page.waitForSelector('.json')
    expect(page.url()).toBe(`${opened().url}/browse/peek`)
    await expect.poll(() => page.innerText('.card')).toContain('not fired')
    await expect.poll(() => page.innerText('.facts')).toContain('mail')
    const tree = await page.innerText('.json')
    expect(tree).toContain('18446744073709551615')
    expect(tree).toMatch(/__proto__.*1 member/s)
    expect(tree).toContain('aLFb')
    await page.click('text=As JSON text')
    await expect.poll(() => page.innerText('pre')).toContain('"count":18446744073709551615')
    await page.click('text=Forget trigger')
    await page.fill('#trigger', 'none')
    await page.click('button:text("Peek")')
    expect(await state(page, 'trigger not found')).toContain('expired')
  })

  it('works under a path prefix, deep links included', async () => {
    const { prefixedUrl } = opened()
    const page = await opened().tab(`${prefixedUrl}/browse/id/1/photos/raw/`)
    await rowsOf(page, ['deep'])
    await page.click('.rows a')
    await rowsOf(page, ['first.txt'])
    expect(page.url()).toBe(`${prefixedUrl}/browse/id/1/photos/raw/deep`)
    await page.reload()
    await page.click('.breadcrumbs a >> nth=0')
    await rowsOf(page, visitorNames)
    await page.click('.brand')
    expect(page.url()).toBe(`${prefixedUrl}/`)
    await page.waitForSelector('#credential')
  })

  // One proxy passes the path on as it came, below the base path; the other cuts off a prefix that Canopy does not know.
  it.runIf(findNginx(process.env))(
    'works behind nginx below a base path, and below a prefix that is cut off',
    async () => {
      const server = await serverOn(opened().data, { CANOPY_BASE_PATH: '/our/files' })
      const plain = new URL(opened().url).port
      const nginx = await startNginx(
        (port) => `
        access_log off;
        merge_slashes off;
        map $request_uri $canopy_target { ~^/c(?<target>/.*)$ $target; default /none; }
        server {
          listen 127.0.0.1:${port};
          location /our/files { proxy_pass http://127.0.0.1:${server.port}; }
          location /c/ { proxy_pass http://127.0.0.1:${plain}$canopy_target; }
        }`,
      )
      for (const prefix of ['/our/files', '/c']) {
        const base = `http://127.0.0.1:${nginx.port}${prefix}`
        const page = await opened().tab(`${base}/browse/id/1/photos/raw/`)
        await rowsOf(page, ['deep'])
        await page.click('.rows a')
        await rowsOf(page, ['first.txt'])
        expect(page.url()).toBe(`${base}/browse/id/1/photos/raw/deep`)
        await page.click('.brand')
        expect(page.url()).toBe(`${base}/`)
        const asOwner = await opened().tab(`${base}/browse/#token=${token}`)
        await asOwner.waitForURL(`${base}/browse/files`)
        const docs = await opened().tab(`${base}/docs`)
        const health = '.operation:has(#healthz)'
        await docs.click(`${health} >> text=Send`)
        await expect.poll(() => docs.innerText(`${health} .body`)).toContain('"health"')
      }
      const bare = await opened().tab(`http://127.0.0.1:${nginx.port}/our/files`)
      await bare.waitForSelector('#credential')
      await nginx.stop()
      await server.end()
    },
  )

  it('what `npm start` prints first, opened in a browser, shows the demo', async () => {
    const data = await temporaryData()
    const port = String(await freePort())
    const env = { PATH: process.env['PATH'], CANOPY_DATA: data, CANOPY_PORT: port }
    const { stdout } = await promisify(execFile)(process.execPath, [bin, 'demo'], { env })
    const [first = '', asOwner = ''] = stdout.split('\n').filter((line) => line.startsWith('  http'))
    const server = await serverOn(data, { CANOPY_PORT: port })
    const page = await opened().tab(first.trim())
    await page.fill('#credential', '1')
    await page.keyboard.press('Enter')
    await rowsOf(page, ['photos', 'welcome.txt'])
    const other = await opened().tab(asOwner.trim())
    await rowsOf(other, ['diary', 'photos', 'welcome.txt'])
    expect(other.url()).toBe(`http://127.0.0.1:${port}/browse/files`)
    await server.end()
    rmSync(data, { recursive: true })
  })

  it('CANOPY_EXPLORER=off leaves it out', async () => {
    const server = await serverOn(opened().data, { CANOPY_EXPLORER: 'off' })
    const answer = await fetch(`http://127.0.0.1:${server.port}/`)
    expect([answer.status, await answer.json()]).toEqual([404, { type: 'error', error: 'no such route' }])
    await server.end()
  })
}
