import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { names, ofOwner, opened, rowsAt, rowsOf } from './opened.js'

/** The relative luminance of a CSS colour (WCAG 2). */
const luminance = (color = ''): number => {
  const [red = 0, green = 0, blue = 0] = (color.match(/\d+/g) ?? []).map((text) => {
    const value = Number(text) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

export const looks = (): void => {
  it('is dark or light by the system, or by a choice that persists', async () => {
    const background = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const [dark, light] = ['rgb(27, 28, 31)', 'rgb(255, 255, 255)']
    const page = await ofOwner('/photos', { colorScheme: 'dark' })
    expect(await background(page)).toBe(dark)
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await background(page)).toBe(light)
    await page.click('[aria-label="Theme: system"]')
    await page.click('[aria-label="Theme: light"]')
    expect(await background(page)).toBe(dark)
    await page.reload()
    await page.waitForSelector('[aria-label="Theme: dark"]')
    expect(await background(page)).toBe(dark)
  })

  it.each(['light', 'dark'] as const)('gives fields a border with a contrast of 3:1, in %s', async (colorScheme) => {
    const page = await ofOwner('/photos', { colorScheme })
    const [border, background] = await page.$eval('.filter input', (field) => {
      const { borderTopColor, backgroundColor } = getComputedStyle(field)
      return [borderTopColor, backgroundColor]
    })
    const [darker = 0, lighter = 0] = [border, background].map(luminance).sort((one, other) => one - other)
    expect((lighter + 0.05) / (darker + 0.05)).toBeGreaterThanOrEqual(3)
  })

  it.each([360, 400])('fits a phone %i px wide, with rows of 60 px and targets of at least 24 px', async (width) => {
    const page = await ofOwner('/photos', { viewport: { width, height: 700 }, hasTouch: true })
    const box = await page.locator('.rows .row').first().boundingBox()
    expect([box?.height, box?.width]).toEqual([60, width])
    const wide = await page.$$eval('html, .scroller, header, .toolbar', (all) =>
      all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth),
    )
    const small = await page.$$eval('button, .breadcrumbs a', (buttons) =>
      (buttons as Array<HTMLElement>).filter(
        (button) => button.checkVisibility() && Math.min(button.offsetHeight, button.offsetWidth) < 24,
      ),
    )
    expect([wide, small]).toEqual([[], []])
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
    const longest = (page: Page) =>
      page.$$eval('*', (elements) => {
        const durations = elements.map((element) => getComputedStyle(element))
        const seconds = durations.flatMap((style) => [style.transitionDuration, style.animationDuration])
        return Math.max(...seconds.map(Number.parseFloat))
      })
    const page = await ofOwner('/photos', { reducedMotion: 'reduce' })
    expect(await longest(page)).toBe(0)
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    expect(await longest(page)).toBeLessThanOrEqual(0.15)
  })

  it('prints all loaded rows and no buttons', async () => {
    const page = await rowsAt('/browse/id/3/many')
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
    await page.emulateMedia({ media: 'print' })
    expect((await names(page)).length).toBe(1000)
    const buttons = page.locator('.actions, .tools')
    expect(await buttons.evaluateAll((all) => all.some((each) => each.checkVisibility()))).toBe(false)
    await page.emulateMedia({ media: null })
    await page.evaluate(() => dispatchEvent(new Event('afterprint')))
    await expect.poll(async () => (await names(page)).length).toBeLessThan(80)
    await page.goto(`${opened.url}/browse/id/1/photos`)
    await page.waitForSelector('.rows .row')
    expect((await page.pdf()).length).toBeGreaterThan(5000)
  })
}
