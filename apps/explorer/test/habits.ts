import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { names, ofOwner, opened, rowsAt, rowsOf } from './opened.js'
import { nameOfMany, photos, shownPhotos } from './world.js'

export const habits = (): void => {
  const selected = '.row[aria-selected=true] .name'

  it('keys: arrows select, Enter opens, Backspace returns to the selected row', async () => {
    const page = await ofOwner('/photos')
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => page.innerText(selected)).toBe('drafts')
    await page.keyboard.press('End')
    await expect.poll(() => page.innerText(selected)).toBe('invoice.pdf')
    for (const _ of 'abc') await page.keyboard.press('ArrowUp')
    await expect.poll(() => page.innerText(selected)).toBe('raw')
    await expect
      .poll(() => page.getAttribute('.scroller', 'aria-activedescendant'))
      .toBe(await page.getAttribute('.row[aria-selected=true]', 'id'))
    await page.keyboard.press('Enter')
    await rowsOf(page, ['deep'])
    await page.keyboard.press('Backspace')
    await rowsOf(page, photos)
    await expect.poll(() => page.innerText(selected)).toBe('raw')
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => page.innerText(selected)).toBe('IMG_2.jpg')
    await page.keyboard.press('Home')
    await expect.poll(() => page.innerText(selected)).toBe('drafts')
  })

  it('keys: / filters, Escape clears the filter, ? shows help', async () => {
    const page = await ofOwner('/photos')
    await page.keyboard.press('/')
    await page.keyboard.type('dra')
    await rowsOf(page, ['drafts'])
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => page.innerText(selected)).toBe('drafts')
    await page.keyboard.press('/')
    await page.keyboard.press('Escape')
    await rowsOf(page, photos)
    await page.keyboard.press('?')
    await expect.poll(() => page.innerText('dialog')).toContain('Filter by name')
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog', { state: 'detached' })
  })

  it('copies links and paths of the directory and of entries', async () => {
    const page = await rowsAt('/browse/id/1/photos', { permissions: ['clipboard-read', 'clipboard-write'] })
    const copied = async (button: string) => {
      await page.click(button)
      await page.waitForSelector('.news.shown')
      return page.evaluate(() => navigator.clipboard.readText())
    }
    expect(await copied('header >> text=Copy link')).toBe(`${opened.url}/browse/id/1/photos`)
    expect(await copied('header >> text=Copy path')).toBe('/photos')
    await page.click('.row:has-text("raw") .cell-time')
    expect(await copied('.selected [aria-label="Copy link"]')).toBe(`${opened.url}/browse/id/1/photos/raw`)
    expect(await copied('.selected [aria-label="Copy path"]')).toBe('/photos/raw')
  })

  it('opens links in a new tab', async () => {
    const page = await rowsAt('/browse/id/1')
    const opening = page.context().waitForEvent('page')
    await page.click('.rows a:has-text("photos")', { button: 'middle' })
    const other = await opening
    await rowsOf(other, shownPhotos)
    expect(page.url()).toBe(`${opened.url}/browse/id/1`)
  })

  it('back and forward restore the scroll position', async () => {
    const page = await rowsAt('/browse/id/3/many')
    await page.$eval('.scroller', (scroller) => scroller.scrollTo(0, 30_000))
    const name = nameOfMany(Math.ceil(30_000 / 36) + 2)
    await page.waitForFunction(() => history.state?.top === 30_000)
    await page.click(`.rows a:has-text("${name}")`)
    await page.waitForSelector('.card')
    await page.goBack()
    await page.waitForSelector(`.row:has-text("${name}")`)
    expect(await page.$eval('.scroller', (scroller) => scroller.scrollTop)).toBe(30_000)
    await page.goForward()
    await page.waitForSelector('.card')
  })

  it('is dark or light by the system, or by a choice that persists', async () => {
    const background = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const page = await ofOwner('/photos', { colorScheme: 'dark' })
    expect(await background(page)).toBe('rgb(27, 28, 31)')
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await background(page)).toBe('rgb(255, 255, 255)')
    await page.click('[aria-label="Theme: system"]')
    await page.click('[aria-label="Theme: light"]')
    expect(await background(page)).toBe('rgb(27, 28, 31)')
    await page.reload()
    await page.waitForSelector('[aria-label="Theme: dark"]')
    expect(await background(page)).toBe('rgb(27, 28, 31)')
  })

  it.each([360, 400])('fits a phone %i px wide, with rows of 60 px and targets of at least 24 px', async (width) => {
    const page = await ofOwner('/photos', { viewport: { width, height: 700 }, hasTouch: true })
    const box = await page.locator('.rows .row').first().boundingBox()
    expect([box?.height, box?.width]).toEqual([60, width])
    const wide = await page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll('.scroller, header, .toolbar')].filter(
        ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
      ),
    )
    expect(wide).toEqual([])
    const small = await page.$$eval('button, .breadcrumbs a', (buttons) =>
      (buttons as Array<HTMLElement>).filter(
        (button) => button.checkVisibility() && Math.min(button.offsetHeight, button.offsetWidth) < 24,
      ),
    )
    expect(small).toEqual([])
    await page.tap('.rows a:has-text("raw")')
    await rowsOf(page, ['deep'])
  })

  it('is in English or German, by the browser or by choice', async () => {
    const page = await ofOwner('/photos', { locale: 'de-DE' })
    await expect.poll(() => page.getAttribute('html', 'lang')).toBe('de')
    await expect.poll(() => page.innerText('.row:has-text("IMG_2.jpg")')).toMatch(/öffentlich.*4,2 MB.*vor 3 Tagen/s)
    await page.keyboard.press('?')
    await page.selectOption('dialog select', 'en')
    await expect.poll(() => page.innerText('dialog h2')).toBe('Keyboard shortcuts')
    await page.reload()
    await page.waitForSelector('.row:has-text("public")')
    await expect.poll(() => page.getAttribute('html', 'lang')).toBe('en')
  })

  it('has no animation with reduced motion, and at most 150 ms otherwise', async () => {
    const durations = (page: Page) =>
      page.$$eval('*', (elements) => [
        ...new Set(
          elements.flatMap((element) => {
            const { transitionDuration, animationDuration } = getComputedStyle(element)
            return [transitionDuration, animationDuration]
          }),
        ),
      ])
    const page = await ofOwner('/photos', { reducedMotion: 'reduce' })
    expect(await durations(page)).toEqual(['0s'])
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    expect((await durations(page)).every((text) => Number.parseFloat(text) <= 0.15)).toBe(true)
  })

  it('prints all loaded rows and no buttons', async () => {
    const page = await rowsAt('/browse/id/3/many')
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
    await page.emulateMedia({ media: 'print' })
    expect((await names(page)).length).toBe(1000)
    expect(
      await page.locator('.actions, .tools').evaluateAll((all) => all.some((each) => each.checkVisibility())),
    ).toBe(false)
    await page.emulateMedia({ media: null })
    await page.evaluate(() => dispatchEvent(new Event('afterprint')))
    await expect.poll(async () => (await names(page)).length).toBeLessThan(80)
    await page.goto(`${opened.url}/browse/id/1/photos`)
    await page.waitForSelector('.rows .row')
    expect((await page.pdf()).length).toBeGreaterThan(5000)
  })
}
