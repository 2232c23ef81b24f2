import { readFileSync } from 'node:fs'
import { nginxIsTested, startNginx } from '@canopy/test-support'
import { expect, it } from 'vitest'
import { ofOwner, opened, requestsSince, rowsAt, rowsOf, state, tabOf } from './opened.js'
import { photos, scopedToken, sharingToken, token, trigger } from './world.js'

const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] }
const ownerNames = ['diary', 'empty', 'odd', 'photos']
const visitorNames = ['empty', 'odd', 'photos']

export const waysIn = (): void => {
  it('/ is the start page, whose field opens the files of a user id', async () => {
    const page = await opened.tab('/')
    expect(page.url()).toBe(`${opened.url}/`)
    await expect.poll(() => page.innerText('.lead')).toContain('Owners see all')
    expect(await page.locator('.start .keys kbd').allInnerTexts()).toEqual(['Enter', 'Backspace', '/'])
    await expect.poll(() => page.getAttribute('.links a:text("API")', 'href')).toBe(`${opened.url}/docs`)
    await page.fill('#credential', 'nobody')
    await page.click('text=Open')
    await expect.poll(() => page.innerText('.problem')).toContain('not a user ID')
    await page.fill('#credential', '1')
    await page.click('text=Open')
    await rowsOf(page, visitorNames)
    expect(page.url()).toBe(`${opened.url}/browse/id/1`)
  })

  it('the field accepts a token, which never appears in the address', async () => {
    const page = await opened.tab('/browse')
    const asking = page.waitForRequest(/\/api\/storage\/v1\/diritems\//)
    await page.fill('#credential', token)
    await page.keyboard.press('Enter')
    // `no-store` makes the browser send this.
    const { referer, cookie, 'cache-control': caching } = await (await asking).allHeaders()
    expect([caching, referer, cookie]).toEqual(['no-cache', undefined, undefined])
    await rowsOf(page, ownerNames)
    expect(page.url()).toBe(`${opened.url}/browse/files`)
  })

  it('a token in the fragment moves to sessionStorage, out of address and history', async () => {
    const from = opened.requests.length
    const page = await tabOf(ownerNames, `/browse/#token=${token}`)
    expect(page.url()).toBe(`${opened.url}/browse/files`)
    expect(await page.evaluate(() => [history.length, Object.values(sessionStorage)])).toEqual([2, [token]])
    expect(await page.evaluate(() => JSON.stringify([localStorage, document.cookie]))).not.toContain(token)
    expect(await page.evaluate(() => JSON.stringify({ state: history.state }))).not.toContain(token)
    await page.goto(`${opened.url}/docs`)
    await page.goBack()
    await rowsOf(page, ownerNames)
    expect(page.url()).not.toContain('#')
    const withToken = requestsSince(from, new RegExp(token)).filter((url) => !url.includes('#'))
    expect(withToken.filter((url) => !new URL(url).pathname.startsWith('/api/storage/v1/'))).toEqual([])
  })

  it('a token can be pasted behind a deep link in an open tab', async () => {
    const page = await opened.tab('/browse/files/photos')
    expect(await state(page, 'no token')).toContain('Enter your token')
    await page.evaluate((text) => {
      location.hash = `token=${text}`
    }, token)
    await rowsOf(page, photos)
    expect(page.url()).toBe(`${opened.url}/browse/files/photos`)
  })

  it('a new tab asks for the token again', async () => {
    const page = await tabOf(ownerNames, `/browse/#token=${token}`)
    const opening = page.context().waitForEvent('page')
    await page.click('.rows a:has-text("photos")', { modifiers: ['ControlOrMeta'] })
    const other = await opening
    expect(await state(other, 'no token')).toContain('token')
    expect(other.url()).toBe(`${opened.url}/browse/files/photos`)
    await other.fill('#credential', token)
    await other.keyboard.press('Enter')
    await rowsOf(other, photos)
  })

  it('a scoped token opens its path, and explains the rest', async () => {
    const page = await opened.tab(`/browse/#token=${scopedToken}`)
    expect(await state(page, 'outside')).toContain('Not covered by this token')
    await page.fill('#path', '/photos')
    await page.keyboard.press('Enter')
    await rowsOf(page, photos)
  })

  it('/browse/peek shows a trigger as a tree, without firing it', async () => {
    const page = await opened.tab(`/browse/peek#trigger=${encodeURIComponent(trigger)}`)
    await page.waitForSelector('.json')
    expect(page.url()).toBe(`${opened.url}/browse/peek`)
    await expect.poll(() => page.innerText('.card')).toContain('doesn’t fire it')
    await expect.poll(() => page.innerText('.facts')).toContain('mail')
    const tree = await page.innerText('.json')
    expect(tree).toContain('18446744073709551615')
    expect(tree).toMatch(/__proto__.*1 member/s)
    expect(tree).toContain('aLFb')
    await page.click('text=Raw JSON')
    await expect.poll(() => page.innerText('pre')).toContain('"count":18446744073709551615')
    await page.click('text=Forget this trigger')
    await page.fill('#trigger', 'none')
    await page.click('button:text("Look up")')
    expect(await state(page, 'trigger not found')).toContain('expired')
    await page.fill('#trigger', trigger)
    await page.click('button:text("Look up")')
    await page.waitForSelector('.json')
  })

  it('takes the user id from the link, and warns about a private folder', async () => {
    const page = await rowsAt(`/browse/files/diary#token=${sharingToken}&user=6`, clipboard)
    expect(page.url()).toBe(`${opened.url}/browse/files/diary`)
    await page.click('text=Copy public link')
    await page.waitForSelector('.news.shown:has-text("this item is private")')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${opened.url}/browse/id/6/diary`)
  })

  it('copies links and paths of the folder and of entries, never with a token', async () => {
    const page = await ofOwner('/photos', clipboard)
    const copied = async (button: string) => {
      await page.click(button)
      await page.waitForSelector('.news.shown')
      return page.evaluate(() => navigator.clipboard.readText())
    }
    expect(await copied('header >> text="Copy link"')).toBe(`${opened.url}/browse/files/photos`)
    expect(await page.innerText('.news')).toContain('requires your token')
    expect(await copied('header >> text=Copy path')).toBe('/photos')
    await page.click('.row:has-text("raw") .cell-time')
    expect(await copied('.selected [aria-label="Copy link"]')).toBe(`${opened.url}/browse/files/photos/raw`)
    expect(await copied('.selected [aria-label="Copy path"]')).toBe('/photos/raw')
    expect(await page.content()).not.toContain(token)
  })

  it.runIf(nginxIsTested)('works below a prefix that nginx strips by the documented configuration', async () => {
    const text = readFileSync(new URL('../../../docs/proxy.md', import.meta.url), 'utf8')
    const map = /^ {4}map \$request_uri \$canopy_target \{.*?^ {4}\}/ms.exec(text)?.[0] ?? 'the page has no map'
    const location = /^ {6}location \/c\/ \{\n.*$/m.exec(text)?.[0] ?? 'the page has no location'
    const nginx = await startNginx(
      (port) => `
        access_log off;
        merge_slashes off;
        ${map}
        upstream canopy { server ${new URL(opened.url).host}; }
        server { listen 127.0.0.1:${port}; ${location} } }`,
    )
    const base = `http://127.0.0.1:${nginx.port}/c`
    await (await opened.tab(`${base}/`)).waitForSelector('#credential')
    const page = await tabOf(['deep'], `${base}/browse/id/1/photos/raw/`)
    await page.click('.rows a')
    await rowsOf(page, ['first.txt'])
    expect(page.url()).toBe(`${base}/browse/id/1/photos/raw/deep`)
    await page.reload()
    await page.click('.breadcrumbs a >> nth=0')
    await rowsOf(page, visitorNames)
    await page.click('.brand')
    expect(page.url()).toBe(`${base}/`)
    const asOwner = await opened.tab(`${base}/browse/#token=${token}`)
    await asOwner.waitForURL(`${base}/browse/files`)
    const docs = await opened.tab(`${base}/docs`)
    await docs.click('.operation:has(#healthz) >> text=Send')
    await docs.waitForSelector('.operation:has(#healthz) .body:has-text("health")')
    await nginx.stop()
  })
}
