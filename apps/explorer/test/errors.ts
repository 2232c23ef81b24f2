import type { Page, Route } from 'playwright-core'
import { expect, it } from 'vitest'
import { names, ofOwner, opened, rowsAt, rowsOf, state, tabOf } from './opened.js'
import { oddNames, shownPhotos } from './world.js'

type Fault = (route: Route) => Promise<void>

const answer =
  (status: number, body: string, headers = {}): Fault =>
  (route) =>
    route.fulfill({ status, body, headers, contentType: 'application/json' })

export const external = answer(502, '{"type":"error","error":"external"}')
const gone: Fault = (route) => route.abort()

/** Clicks an entry of a directory while requests of this kind have a fault. */
const clickWith = async (directory: string, entry: string, requests: string, fault: Fault): Promise<Page> => {
  const page = await rowsAt(directory)
  await page.route(requests, fault)
  await page.click(`.rows a:has-text("${entry}")`)
  return page
}

export const errors = (): void => {
  it('counts down while the service is gone or a proxy fails', async () => {
    for (const fault of [gone, answer(502, '<h1>Bad Gateway</h1>')]) {
      const page = await clickWith('/browse/id/1', 'photos', '**/api/**', fault)
      expect(await state(page, 'away')).toMatch(/Trying again in \d+ seconds/)
      await page.unroute('**/api/**')
      await page.click('text=Try again')
      await rowsOf(page, shownPhotos)
    }
  })

  it('shows the failure of a file, not the type mismatch of its listing', async () => {
    const requests = '**/tree/id/1/photos/IMG_2.jpg?*'
    const page = await clickWith('/browse/id/1/photos', 'IMG_2.jpg', requests, external)
    expect(await state(page, 'external')).toContain('Storage unavailable')
    await page.unroute(requests)
    await page.click('text=Try again')
    await page.waitForSelector('.card')
  })

  it('tells a locked directory from a failing storage, and offers the way up', async () => {
    const page = await clickWith('/browse/id/1', 'photos', '**/diritems/id/1/photos?*', external)
    expect(await state(page, 'unreadable')).toContain('Can’t read this folder')
    await page.click('text=Go to the parent folder')
    await rowsOf(page, ['empty', 'odd', 'photos'])
  })

  it('counts down after too many attempts', async () => {
    const limited = answer(429, '{"type":"error","error":"too many requests"}', { 'Retry-After': '7' })
    const page = await clickWith('/browse/id/1', 'photos', '**/api/**', limited)
    expect(await state(page, 'too many requests')).toContain('in 7 seconds')
    await expect.poll(() => page.innerText('.countdown')).toContain('6')
  })

  it('keeps the loaded rows if the next page fails', async () => {
    const page = await rowsAt('/browse/id/3/many')
    await page.route('**/diritems/**', gone)
    await page.$eval('.scroller', (scroller) => scroller.scrollTo(0, scroller.scrollHeight))
    await page.waitForSelector('.rest')
    expect((await names(page)).length).toBeGreaterThan(10)
    await page.unroute('**/diritems/**')
    await page.click('.rest button')
    await page.waitForSelector('.rest', { state: 'detached' })
    await expect.poll(() => page.innerText('footer')).toContain('2,000 items so far')
  })

  it('reports a lost connection and recovers with it', async () => {
    const page = await rowsAt('/browse/id/1')
    await page.context().setOffline(true)
    await page.click('.rows a:has-text("photos")')
    expect(await state(page, 'offline')).toContain('You’re offline')
    await page.context().setOffline(false)
    await rowsOf(page, shownPhotos)
  })

  it('keeps a listing whose own visibility failed, and loads it on retry', async () => {
    const page = await clickWith('/browse/id/1', 'photos', '**/tree/id/1/photos?*', external)
    await rowsOf(page, shownPhotos)
    await page.waitForSelector('.rest')
    await page.unroute('**/tree/id/1/photos?*')
    await page.click('.rest button')
    await page.waitForSelector('.toolbar .visibility')
    await page.waitForSelector('.why .chain')
    expect(await page.locator('.rest').count()).toBe(0)
    await rowsOf(page, shownPhotos)
  })

  it('loads a visibility that failed with the next page', async () => {
    const page = await clickWith('/browse/id/3', 'many', '**/tree/id/3/many?*', external)
    await page.waitForSelector('.row:has-text("entry 000000")')
    expect(await page.locator('.toolbar .visibility, .rest').count()).toBe(0)
    await page.unroute('**/tree/id/3/many?*')
    await page.$eval('.scroller', (scroller) => scroller.scrollTo(0, scroller.scrollHeight))
    await page.waitForSelector('.toolbar .visibility')
  })

  it('removes the panels with a revoked token', async () => {
    const page = await ofOwner('')
    await page.waitForSelector('.why .chain')
    await page.waitForSelector('[role=tree]')
    await page.route('**/api/**', answer(401, '{"type":"error","error":"invalid token"}'))
    await page.click('.rows a:has-text("photos")')
    await state(page, 'invalid token')
    expect(await page.locator('.panel > *').count()).toBe(0)
  })

  it('never speaks of tokens to visitors', async () => {
    const page = await rowsAt('/browse/id/5/open/secret')
    await page.click('.not-loaded button')
    await expect.poll(() => page.innerText('.chain')).toContain('not accessible to visitors')
    expect(await page.innerText('body')).not.toContain('token')
  })

  it('keeps 64-bit sizes and user ids exact', async () => {
    const page = await tabOf(['a.bin', 'b.bin', 'c.bin'], `${opened.filesUrl}/browse/id/18446744073709551615`)
    expect(await page.locator('.rows .cell-size').allInnerTexts()).toEqual(['18 EB', '9.0 PB', '1.0 MB'])
    const titles = await page.$$eval('.rows .cell-size span', (sizes) =>
      sizes.map((size) => size.getAttribute('title')),
    )
    expect(titles).toEqual(['18,446,744,073,709,551,615 bytes', '9,007,199,254,740,993 bytes', '999,950 bytes'])
    await expect.poll(() => page.innerText('.row:has-text("a.bin") time')).toBe('9,007,199,254,740,993 s')
    await page.click('.head >> text=Size')
    await rowsOf(page, ['c.bin', 'b.bin', 'a.bin'])
    await page.click('text=Show disk usage')
    await expect.poll(() => page.locator('.treemap .name').allInnerTexts()).toEqual(['a.bin', '2 more'])
    expect(await page.getAttribute('.treemap li', 'title')).toBe('a.bin: 18 EB')
  })

  it('shows every name as text, with marks for control characters', async () => {
    const page = await opened.tab('/browse/id/1/odd')
    const shown = oddNames.map((name) => name.replace('\n', 'LF').replace('\u202e', 'RLO'))
    await expect.poll(async () => new Set(await names(page))).toEqual(new Set(shown))
    expect(new Set(await page.locator('.rows .mark').allInnerTexts())).toEqual(new Set(['LF', 'RLO']))
    expect(await page.locator('.rows img').count()).toBe(0)
    expect(await page.title()).toBe('odd – Canopy')
    for (const [index, name] of oddNames.entries()) {
      await page.locator(`.rows .row:has-text(${JSON.stringify(shown[index])}) a`).click()
      await page.waitForSelector('.card')
      expect(page.url()).toBe(`${opened.url}/browse/id/1/odd/${encodeURIComponent(name)}`)
      await page.keyboard.press('Backspace')
      await page.waitForSelector('.rows .row')
    }
  })
}
