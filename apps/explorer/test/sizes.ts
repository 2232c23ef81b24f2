import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { external } from './errors.js'
import { opened, rowsOf } from './opened.js'
import { deepToken } from './world.js'

const shares = (page: Page): Promise<ReadonlyArray<string>> =>
  page.$$eval('.treemap li', (blocks) =>
    blocks.map((block) =>
      [...block.querySelectorAll('.name, .name + span')].map(({ textContent }) => textContent).join(' '),
    ),
  )

export const sizes = (): void => {
  const mapOf = async (path: string) => {
    const page = await opened.tab(`/browse/files${path}#token=${deepToken}`)
    await page.click('text=Show disk usage')
    await page.waitForSelector('.treemap li')
    return page
  }

  it('hatches unknown directories and loads them on a click', async () => {
    const page = await mapOf('/open')
    expect(await shares(page)).toEqual(['large.bin 100%', 'closed load', 'secret load'])
    await expect.poll(() => page.innerText('.map-sum')).toContain('at least 6.0 KB')
    await page.click('.treemap .unknown:has-text("secret") button')
    await expect.poll(() => shares(page)).toEqual(['large.bin 60%', 'secret 40%', 'closed load'])
    await page.click('text=Load all')
    await expect.poll(() => shares(page)).toEqual(['large.bin 60%', 'secret 40%', 'closed 0%'])
    await expect.poll(() => page.innerText('.map-sum')).toBe('10 KB')
    const areas = await page.$$eval('.treemap li', (blocks) =>
      blocks.slice(0, 2).map((block) => {
        const { width, height } = block.getBoundingClientRect()
        return width * height
      }),
    )
    expect(Math.abs((areas[0] ?? 0) / (areas[1] ?? 1) - 1.5)).toBeLessThan(0.2)
    await page.click('.treemap a:has-text("secret")')
    await rowsOf(page, ['inner', 'press', 'surprise.txt'])
  })

  it('says that it cannot load', async () => {
    const page = await mapOf('/open')
    await page.route('**/tree/**', external)
    await page.click('text=Load all')
    await expect.poll(() => page.innerText('.map-sum')).toContain('Couldn’t load all sizes.')
    await page.unroute('**/tree/**')
    await page.click('.map-sum >> text=Try again')
    await expect.poll(() => page.innerText('.map-sum')).toBe('10 KB')
  })
}
