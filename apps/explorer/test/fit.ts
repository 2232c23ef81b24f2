import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { ofOwner, opened, phone, requestsSince, rowsAt } from './opened.js'
import { longName, nestedNames } from './world.js'

const nest = `/browse/id/6/${nestedNames.map(encodeURIComponent).join('/')}`

/** The elements of a selector that are cut by their own box or by the window. */
const cut = (page: Page, selector: string): Promise<ReadonlyArray<string>> =>
  page.$$eval(selector, (elements) =>
    elements
      .filter((element) => {
        const { left, right } = element.getBoundingClientRect()
        return element.scrollWidth > element.clientWidth + 1 || left < 0 || right > innerWidth + 1
      })
      .map(({ textContent }) => textContent ?? ''),
  )

export const overlaps = (page: Page, selector: string): Promise<ReadonlyArray<string>> =>
  page.$$eval(selector, (elements) => {
    const boxes = elements
      .filter((element) => element.checkVisibility())
      .map((element) => ({ text: element.textContent ?? '', box: element.getBoundingClientRect() }))
    const isBefore = (one: DOMRect, other: DOMRect) => one.right - 1 <= other.left || one.bottom - 1 <= other.top
    return boxes.flatMap((one, index) =>
      boxes
        .slice(index + 1)
        .filter(({ box }) => !isBefore(one.box, box) && !isBefore(box, one.box))
        .map(({ text }) => `${one.text} and ${text}`),
    )
  })

const screens: ReadonlyArray<readonly [string, BrowserContextOptions]> = [
  ['1280 px', {}],
  ['800 px', { viewport: { width: 800, height: 700 } }],
  ['a phone', { ...phone, viewport: { width: 390, height: 844 } }],
  ['320 px', { viewport: { width: 320, height: 640 } }],
]

export const fit = (): void => {
  it.each(screens)('shows the whole heading first on %s', async (_, options) => {
    const page = await rowsAt(`/browse/id/6/${encodeURIComponent(longName)}`, options)
    expect(await page.innerText('.toolbar > :first-child')).toBe(longName)
    expect(await cut(page, 'h1, .tools, .tools > *')).toEqual([])
    expect(await overlaps(page, 'h1, .toolbar > .visibility, .tools > *')).toEqual([])
  })

  it.each(screens)('folds the middle of a path of 31 levels on %s', async (_, options) => {
    const page = await rowsAt(nest, options)
    const shown = await page.locator('.breadcrumbs li').allInnerTexts()
    expect(shown).toEqual(['User 6', '…', ...nestedNames.slice(29)])
    const parts = '.brand, .breadcrumbs a, .breadcrumbs button, .view, .actions > *, .more'
    expect(await overlaps(page, parts)).toEqual([])
    await page.click('.breadcrumbs button')
    await expect.poll(() => page.locator('.breadcrumbs a').count()).toBe(32)
    expect(await overlaps(page, parts)).toEqual([])
  })

  it('sorts by time on a phone, and offers the actions on demand', async () => {
    const page = await ofOwner('/photos', phone)
    await page.tap('.head >> text=Modified')
    await expect.poll(() => page.getAttribute('.head .cell-time', 'aria-sort')).toBe('ascending')
    expect(await page.locator('.rows time').first().isVisible()).toBe(true)
    expect(await page.isVisible('text=Sign out')).toBe(false)
    await page.tap('.more')
    expect(await page.isVisible('text=Sign out')).toBe(true)
  })

  it('scrolls the page at 320x256, to files and footer', async () => {
    const page = await rowsAt('/browse/id/1/photos', { viewport: { width: 320, height: 256 } })
    const isInView = (selector: string) =>
      page.$eval(selector, (element) => {
        const { top, bottom, left, right } = element.getBoundingClientRect()
        return top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth
      })
    await page.mouse.move(160, 10)
    await page.mouse.wheel(0, 150)
    await expect.poll(() => isInView('.rows .row')).toBe(true)
    await page.mouse.move(5, 10)
    await page.mouse.wheel(0, 10_000)
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(150)
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    await expect.poll(() => isInView('footer')).toBe(true)
  })

  it('asks the service at most 3 times for a link into a depth of 31', async () => {
    const from = opened.requests.length
    const page = await rowsAt(nest)
    await page.waitForSelector('.why .chain')
    await page.waitForSelector('.line-row.here')
    await page.waitForLoadState('networkidle')
    expect(requestsSince(from, /\/api\//)).toHaveLength(3)
    await page.click('text=Load 30 folders in between')
    await expect.poll(() => page.locator('.chain li').count()).toBe(32)
    await page.click('.breadcrumbs a >> nth=1')
    await page.waitForSelector(`h1:has-text("${nestedNames[29]}")`)
    await page.waitForLoadState('networkidle')
    // The way is known by now: a listing and its directory remain.
    expect(requestsSince(from, /\/api\//)).toHaveLength(3 + 30 + 2)
  })

  it('shows something within 1.2 s on a slow connection', async () => {
    const page = await opened.tab('/healthz')
    const session = await page.context().newCDPSession(page)
    const speed = { downloadThroughput: 50_000, uploadThroughput: 50_000 }
    await session.send('Network.emulateNetworkConditions', { offline: false, latency: 400, ...speed })
    await page.goto(`${opened.url}/browse/id/1/photos`)
    await page.waitForSelector('.rows .row')
    const painted = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime
    expect(await page.evaluate(painted)).toBeLessThan(1200)
  })
}
