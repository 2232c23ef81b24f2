import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { overlaps } from './fit.js'
import { opened, requestsSince, rowsAt, rowsOf } from './opened.js'
import { deepToken, nestedNames } from './world.js'

const lines = (page: Page): Promise<ReadonlyArray<string>> =>
  page.$$eval('[role=treeitem]', (items) =>
    items
      .map((item) => [
        Number(item.id.slice('line-'.length)),
        `${item.ariaLevel} ${item.querySelector('.name')?.textContent}`,
      ])
      .sort(([one], [other]) => Number(one) - Number(other))
      .map(([, text]) => String(text)),
  )

const whole = ['1 Your files', '2 locked', '3 away', '2 open', '3 closed', '4 way', '3 secret', '4 inner', '4 press']

const closed = ['1 Your files', '2 locked', '2 open']
const withOpen = [...closed, '3 closed', '3 secret']

export const outline = (): void => {
  const ofOwner = async (): Promise<Page> => {
    const page = await opened.tab(`/browse/files#token=${deepToken}`)
    await expect.poll(() => lines(page)).toEqual(closed)
    return page
  }

  it('shows the directories of an area and loads one level at a time', async () => {
    const page = await ofOwner()
    const from = opened.requests.length
    for (const shown of [withOpen, closed, withOpen]) {
      await page.click('[role=treeitem]:has-text("open") .twisty')
      await expect.poll(() => lines(page)).toEqual(shown)
    }
    expect(await page.getAttribute('[role=treeitem]:has-text("open")', 'aria-expanded')).toBe('true')
    expect(requestsSince(from, /\/api\//)).toHaveLength(1)
  })

  it('opens the ancestors of a deep link and marks the current directory', async () => {
    const page = await opened.tab(`/browse/files/open/secret#token=${deepToken}`)
    const way = ['1 Your files', '2 open', '3 secret', '4 inner', '4 press']
    await expect.poll(() => lines(page)).toEqual(way)
    const here = () => page.innerText('[role=treeitem][aria-selected=true] .name')
    await expect.poll(here).toBe('secret')
    await page.click('[role=treeitem] >> text=press')
    await rowsOf(page, ['release.txt'])
    await expect.poll(here).toBe('press')
    await page.click('[aria-label="Show all folders in open"]')
    await expect.poll(() => lines(page)).toContain('3 closed')
  })

  it('scrolls sideways in the depth, where no line covers another', async () => {
    const page = await rowsAt(`/browse/id/6/${nestedNames.map(encodeURIComponent).join('/')}`)
    await page.waitForSelector('.line-row.here')
    expect(await page.locator('.line-row').count()).toBeGreaterThan(15)
    expect(await overlaps(page, '.line-row :is(.icon, .name, .siblings)')).toEqual([])
    const [from, name] = await page.$eval('.line-row.here', (row) => [
      row.closest('.lines')?.getBoundingClientRect().left ?? 0,
      row.querySelector('.name')?.getBoundingClientRect().left ?? 0,
    ])
    expect(name).toBeGreaterThan(from ?? 0)
    expect(await page.$eval('.lines', (scroller) => scroller.scrollLeft)).toBeGreaterThan(100)
  })

  it('keys: arrows move, open and close, Enter opens a directory', async () => {
    const page = await ofOwner()
    await page.focus('[role=tree]')
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key)
    await expect.poll(() => lines(page)).toEqual(withOpen)
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => page.innerText('.line-row.active .name')).toBe('closed')
    await page.keyboard.press('Enter')
    await rowsOf(page, ['way'])
    await page.focus('[role=tree]')
    for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowLeft']) await page.keyboard.press(key)
    await expect.poll(() => lines(page)).toEqual(closed)
  })

  it('begins at the topmost directory that a visitor may see', async () => {
    const page = await opened.tab('/browse/id/5/open')
    await expect.poll(() => lines(page)).toEqual(['1 open'])
    // Hidden from listings, but open by name.
    const other = await opened.tab('/browse/id/5/open/secret')
    await expect.poll(() => lines(other)).toEqual(['1 secret', '2 inner', '2 press'])
    await other.click('.not-loaded button')
    await expect.poll(() => lines(other)).toEqual(['1 open', '2 secret', '3 inner', '3 press'])
  })

  it('"Expand all" loads the whole subtree in one request', async () => {
    const page = await ofOwner()
    const from = opened.requests.length
    await page.click('text=Expand all')
    await expect.poll(() => lines(page)).toEqual(whole)
    expect([requestsSince(from, /\/tree\/[^?]*$/).length, requestsSince(from, /\/api\//).length]).toEqual([1, 1])
    await expect.poll(() => page.innerText('.row:has-text("open") .cell-size')).toBe('10 KB')
    await expect.poll(() => page.innerText('footer')).toContain('2 folders, 10 KB')
  })

  it('"Expand all" shows progress and can be cancelled', async () => {
    const page = await opened.tab(`${opened.prefixedUrl}/browse/id/3`)
    await expect.poll(() => lines(page)).toEqual(['1 User 3', '2 many'])
    await page.click('text=Expand all')
    await expect.poll(() => page.innerText('.panel-head')).toMatch(/[1-9][\d,]* loaded/)
    const ending = page.waitForEvent('requestfailed')
    await page.click('text=Cancel')
    expect((await ending).url()).toContain('/tree/')
    await page.waitForSelector('text=Expand all')
    await expect.poll(() => lines(page)).toEqual(['1 User 3', '2 many'])
  })
}
