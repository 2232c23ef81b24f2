import { expect, it } from 'vitest'
import { ofOwner, opened, rowsAt } from './opened.js'
import { sharingToken, token } from './world.js'

const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] }

export const owners = (): void => {
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
}
