import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { ofOwner, pressKeys, rowsAt, rowsOf } from './opened.js'
import { nameOfMany } from './world.js'

const hasRing = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const frame = document.querySelector('.frame')
    const row = document.querySelector('.row.selected')
    const isFramed = frame !== null && getComputedStyle(frame, '::after').content !== 'none'
    const isHidden = frame !== null && getComputedStyle(frame, '::after').display === 'none'
    return (isFramed && !isHidden) || (row !== null && getComputedStyle(row).boxShadow !== 'none')
  })

export const focus = (): void => {
  const selected = '.row[aria-selected=true] .name'

  it('shows no focus on arrival and after a click, and shows it after a key', async () => {
    const page = await ofOwner('/photos')
    expect(await hasRing(page)).toBe(false)
    await page.click('.rows a:has-text("raw")')
    await rowsOf(page, ['deep'])
    expect(await hasRing(page)).toBe(false)
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => hasRing(page)).toBe(true)
    await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toBe('scroller')
  })

  it('Back restores the row and the filter of each listing', async () => {
    const page = await ofOwner('/photos')
    await page.fill('.filter input', 'ra')
    await rowsOf(page, ['drafts', 'raw'])
    await page.click('.rows a:has-text("raw")')
    await rowsOf(page, ['deep'])
    expect(await page.evaluate(() => history.state?.selected)).toBeUndefined()
    await page.goBack()
    await rowsOf(page, ['drafts', 'raw'])
    expect(await page.inputValue('.filter input')).toBe('ra')
    await expect.poll(() => page.innerText(selected)).toBe('raw')
    await page.goForward()
    await rowsOf(page, ['deep'])
    expect(await page.inputValue('.filter input')).toBe('')
  })

  it('sorting scrolls to the selection, or to the top', async () => {
    const page = await rowsAt('/browse/id/3/many')
    await page.keyboard.press('End')
    await page.waitForSelector(`.selected:has-text("${nameOfMany(99_999)}")`)
    const top = () => page.$eval('.scroller', (scroller) => scroller.scrollTop)
    await page.click('.head >> text=Name')
    await page.waitForSelector(`.selected:has-text("${nameOfMany(99_999)}")`)
    expect(await top()).toBe(0)
    await page.keyboard.press('Home')
    await page.$eval('.scroller', (scroller) => scroller.scrollTo(0, 90_000))
    await page.fill('.filter input', '00')
    await expect.poll(top).toBe(0)
  })

  it('Back and Forward restore the scroll position', async () => {
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
    await page.goBack()
    await page.waitForSelector(`.row:has-text("${name}")`)
    // A row that opens while the list still scrolls to it.
    await pressKeys(page, 'Home', 'Enter')
    await page.waitForSelector(`h1:has-text("${nameOfMany(0)}")`)
    await page.goBack()
    await expect.poll(() => page.innerText(selected)).toBe(nameOfMany(0))
  })
}
