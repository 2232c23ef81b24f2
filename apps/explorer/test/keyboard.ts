import { expect, it } from 'vitest'
import { names, ofOwner, pressKeys, pressUntil, rowsOf, state } from './opened.js'
import { photos, sharingToken, shownPhotos, token } from './world.js'

/** Every task with the keyboard alone. Searches, files and the outline have theirs beside their other tests. */
export const keyboard = (): void => {
  const selected = '.row[aria-selected=true] .name'

  it('arrows select, Enter opens, Backspace returns to the selected row', async () => {
    const page = await ofOwner('/photos')
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => page.innerText(selected)).toBe('drafts')
    await page.keyboard.press('End')
    await expect.poll(() => page.innerText(selected)).toBe('invoice.pdf')
    await pressKeys(page, 'ArrowUp', 'ArrowUp', 'ArrowUp')
    await expect.poll(() => page.innerText(selected)).toBe('raw')
    const active = await page.getAttribute('.row[aria-selected=true]', 'id')
    await expect.poll(() => page.getAttribute('.scroller', 'aria-activedescendant')).toBe(active)
    await page.keyboard.press('Enter')
    await rowsOf(page, ['deep'])
    await page.keyboard.press('Backspace')
    await rowsOf(page, photos)
    await expect.poll(() => page.innerText(selected)).toBe('raw')
    await page.keyboard.press('Home')
    await expect.poll(() => page.innerText(selected)).toBe('drafts')
  })

  it('filters, sorts, chooses an order, and shows help', async () => {
    const page = await ofOwner('/photos')
    await pressKeys(page, '/', 'd', 'r', 'a')
    await rowsOf(page, ['drafts'])
    await pressKeys(page, 'Enter', 'ArrowDown')
    await expect.poll(() => page.innerText(selected)).toBe('drafts')
    await pressKeys(page, '/', 'Escape')
    await rowsOf(page, photos)
    await pressUntil(page, 'Tab', 'Size')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getAttribute('.head .cell-size', 'aria-sort')).toBe('ascending')
    await pressUntil(page, 'Shift+Tab', '2 before 10')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getAttribute('text=2 before 10', 'aria-pressed')).toBe('false')
    await page.keyboard.press('?')
    await expect.poll(() => page.innerText('dialog')).toContain('Filter by name')
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog', { state: 'detached' })
  })

  it('an owner shares a folder, changes a visibility, looks as a visitor and signs out', async () => {
    const page = await ofOwner('/photos', { permissions: ['clipboard-read', 'clipboard-write'] })
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    await pressUntil(page, 'Tab', 'Copy public link')
    await pressKeys(page, 'Enter', 'm', 'e', 'Enter')
    await expect.poll(() => page.innerText('.problem')).toContain('whole number')
    await pressKeys(page, 'ControlOrMeta+a', '1', 'Enter')
    await page.waitForSelector('.news.shown:has-text("Public link copied")')
    expect(await copied()).toMatch(/\/browse\/id\/1\/photos$/)
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => page.innerText('.why h2')).toBe('drafts')
    await pressUntil(page, 'Tab', 'Change visibility')
    await pressKeys(page, 'Enter', 'Tab', 'ArrowDown')
    await pressUntil(page, 'Tab', 'Copy command')
    await page.keyboard.press('Enter')
    await expect.poll(copied).toBe('canopy visibility set 1 /photos/drafts hidden')
    await pressUntil(page, 'Shift+Tab', 'Visitor')
    await page.keyboard.press('Enter')
    await rowsOf(page, shownPhotos)
    await pressUntil(page, 'Tab', 'Sign out')
    await page.keyboard.press('Enter')
    await page.waitForSelector('#credential')
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('cnp_')
    await page.goBack()
    await state(page, 'no token')
    expect(await names(page)).toEqual([])
  })

  it('an owner refuses and accepts the token of a link', async () => {
    const page = await ofOwner('/photos')
    const kept = () => page.evaluate(() => sessionStorage.getItem('canopy.token'))
    const follow = (fragment: string) =>
      page.evaluate((text) => {
        location.hash = text
      }, fragment)
    await follow(`token=${sharingToken}`)
    await page.waitForSelector('dialog')
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog', { state: 'detached' })
    expect(await kept()).toBe(token)
    await rowsOf(page, photos)
    await follow(`token=${sharingToken}`)
    await page.waitForSelector('dialog')
    await page.keyboard.press('Enter')
    await state(page, 'file not found')
    expect(await kept()).toBe(sharingToken)
    expect(page.url()).toMatch(/\/browse\/files\/photos$/)
  })
}
