import { expect, it } from 'vitest'
import { opened, pressUntil, rowsAt, rowsOf } from './opened.js'
import { shownPhotos } from './world.js'

export const searches = (): void => {
  const status = '.search-status'

  it('finds what a visitor may see in subfolders, and opens a result', async () => {
    const page = await rowsAt('/browse/id/1/photos')
    for (const key of ['/', 's', 't']) await page.keyboard.press(key)
    await page.waitForSelector('.depth button')
    await pressUntil(page, 'Tab', 'Search subfolders')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.innerText(status)).toBe('1 result')
    expect(await page.innerText('.result')).toMatch(/first\.txt\s+\/raw\/deep\s+7 B\s+15 Apr 2024/)
    await pressUntil(page, 'Tab', 'first.txt')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.card')
    expect(page.url()).toBe(`${opened.url}/browse/id/1/photos/raw/deep/first.txt`)
    await page.goBack()
    await expect.poll(() => page.innerText(status)).toBe('1 result')
    await page.fill('.filter input', '*')
    await expect.poll(() => page.innerText(status)).toBe('Nothing found')
    await page.click('text=Search this folder only')
    await page.fill('.filter input', '')
    await rowsOf(page, shownPhotos)
  })

  it('shows results as they come, and can be cancelled', async () => {
    const page = await rowsAt(`${opened.prefixedUrl}/browse/id/3`)
    await page.fill('.filter input', 'entry')
    await page.click('text=Search subfolders')
    await expect.poll(() => page.innerText(status)).toMatch(/[1-9]\d+ found so far/)
    const ending = page.waitForEvent('requestfailed')
    await page.click(`${status} >> text=Cancel`)
    expect((await ending).url()).toContain('/tree/')
    await expect.poll(() => page.innerText(status)).toMatch(/^Cancelled: [1-9]\d+ results$/)
  })

  it('stops after the first 1,000 results', async () => {
    const page = await rowsAt('/browse/id/3')
    await page.fill('.filter input', 'entry')
    await page.click('text=Search subfolders')
    await expect.poll(() => page.innerText(status)).toContain('The first 1,000 results')
    expect(await page.locator('.result').count()).toBe(1000)
  })
}
