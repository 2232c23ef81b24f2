import { expect, it } from 'vitest'
import { opened, rowsAt, rowsOf, state } from './opened.js'
import { photos, sharingToken, token } from './world.js'

const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] }

export const owners = (): void => {
  it('copies a public link, and asks for the user id once', async () => {
    const page = await rowsAt(`/browse/files/photos#token=${token}`, clipboard)
    await page.click('text=Copy public link')
    await page.fill('#own-user', 'me')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.innerText('.problem')).toContain('whole number')
    await page.fill('#own-user', '1')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.news.shown:has-text("Public link copied")')
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    expect(await copied()).toBe(`${opened.url}/browse/id/1/photos`)
    await page.click('.rows a:has-text("raw")')
    await rowsOf(page, ['deep'])
    await page.click('text=Copy public link')
    await expect.poll(copied).toBe(`${opened.url}/browse/id/1/photos/raw`)
  })

  it('takes the user id from the link, and warns about a private folder', async () => {
    const page = await rowsAt(`/browse/files/diary#token=${sharingToken}&user=6`, clipboard)
    expect(page.url()).toBe(`${opened.url}/browse/files/diary`)
    await page.click('text=Copy public link')
    await page.waitForSelector('.news.shown:has-text("this is private")')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${opened.url}/browse/id/6/diary`)
  })

  it('offers the command that changes a visibility', async () => {
    const page = await rowsAt(`/browse/files/photos#token=${token}&user=1`, clipboard)
    await page.click('.row:has-text("drafts") .cell-time')
    await page.click('text=Change visibility')
    await page.selectOption('.command select', 'hidden')
    await page.click('[aria-label="Copy command"]')
    await page.waitForSelector('.news.shown:has-text("Command copied")')
    const command = 'canopy visibility set 1 /photos/drafts hidden'
    expect(await page.innerText('.command code')).toBe(command)
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(command)
  })

  it('asks before a link replaces the token of the tab', async () => {
    const page = await rowsAt(`/browse/files/photos#token=${token}`)
    const kept = () => page.evaluate(() => sessionStorage.getItem('canopy.token'))
    const follow = (fragment: string) =>
      page.evaluate((text) => {
        location.hash = text
      }, fragment)
    await follow(`token=${sharingToken}`)
    await page.click('dialog >> [aria-label="Close"]')
    expect(await kept()).toBe(token)
    await rowsOf(page, photos)
    await follow(`token=${sharingToken}`)
    await page.click('text=Use the token from the link')
    await state(page, 'file not found')
    expect([await kept(), page.url()]).toEqual([sharingToken, `${opened.url}/browse/files/photos`])
  })
}
