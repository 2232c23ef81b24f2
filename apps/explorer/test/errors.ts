import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { names, opened, rowsAt, rowsOf, serverOn, state, tabOf } from './opened.js'
import { oddNames, shownPhotos } from './world.js'

export const errors = (): void => {
  it('reports a stopped server and recovers after its restart', async () => {
    const { data, tab } = opened
    const server = await serverOn(data)
    const page = await tab(`http://127.0.0.1:${server.port}/browse/id/1`)
    await page.waitForSelector('.rows .row')
    await server.end()
    await page.click('.rows a:has-text("photos")')
    expect(await state(page, 'away')).toMatch(/Trying again in \d+ seconds/)
    const again = await serverOn(data, { CANOPY_PORT: String(server.port) })
    await page.click('text=Try again')
    await rowsOf(page, shownPhotos)
    await again.end()
  })

  it('keeps the loaded rows if the next page fails', async () => {
    const page = await rowsAt('/browse/id/3/many')
    await page.route('**/diritems/**', (route) => route.abort())
    await page.$eval('.scroller', (scroller) => scroller.scrollTo(0, scroller.scrollHeight))
    await page.waitForSelector('.rest')
    expect((await names(page)).length).toBeGreaterThan(10)
    await page.unroute('**/diritems/**')
    await page.click('.rest button')
    await page.waitForSelector('.rest', { state: 'detached' })
    await expect.poll(() => page.innerText('footer')).toContain('2,000 entries so far')
  })

  it('reports a lost connection and recovers with it', async () => {
    const page = await rowsAt('/browse/id/1')
    await page.context().setOffline(true)
    await page.click('.rows a:has-text("photos")')
    expect(await state(page, 'offline')).toContain('offline')
    await page.context().setOffline(false)
    await rowsOf(page, shownPhotos)
  })

  it('shows a skeleton on a slow network after 200 ms', async () => {
    const page = await rowsAt('/browse/id/1')
    await page.route('**/api/**', async (route) => {
      await sleep(600)
      await route.continue()
    })
    const waited = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const began = performance.now()
          new MutationObserver(() => {
            if (document.querySelector('.skeleton') !== null) resolve(performance.now() - began)
          }).observe(document.body, { subtree: true, childList: true })
          document.querySelector<HTMLElement>('.rows a[href$="photos"]')?.click()
        }),
    )
    expect(waited).toBeGreaterThan(190)
    await rowsOf(page, shownPhotos)
  })

  it('keeps 64-bit sizes and user ids exact', async () => {
    const page = await tabOf(['a.bin', 'b.bin', 'c.bin'], `${opened.memoryUrl}/browse/id/18446744073709551615`)
    expect(await page.locator('.rows .cell-size').allInnerTexts()).toEqual(['18 EB', '9.0 PB', '1.0 MB'])
    const titles = await page.$$eval('.rows .cell-size span', (sizes) =>
      sizes.map((size) => size.getAttribute('title')),
    )
    expect(titles).toEqual(['18,446,744,073,709,551,615 bytes', '9,007,199,254,740,993 bytes', '999,950 bytes'])
    await expect.poll(() => page.innerText('.row:has-text("a.bin") time')).toBe('9,007,199,254,740,993 s')
    await page.click('.head >> text=Size')
    await rowsOf(page, ['c.bin', 'b.bin', 'a.bin'])
  })

  it('shows every name as text, with marks for control characters', async () => {
    const page = await opened.tab('/browse/id/1/odd')
    await rowsOf(page, [
      oddNames[0] ?? '',
      '__proto__',
      'constructor',
      'lineLFfeed.txt',
      'rightRLOgpj.exe',
      'שלום.txt',
      '🙂 smile.png',
    ])
    expect(await page.locator('.rows .mark').allInnerTexts()).toEqual(['LF', 'RLO'])
    expect(await page.locator('.rows img').count()).toBe(0)
    expect(await page.title()).toBe('odd – Canopy')
    for (const name of oddNames) {
      await page.locator('.rows a').nth(oddNames.indexOf(name)).click()
      await page.waitForSelector('.card')
      expect(page.url()).toBe(`${opened.url}/browse/id/1/odd/${encodeURIComponent(name)}`)
      await page.keyboard.press('Backspace')
      await page.waitForSelector('.rows .row')
    }
  })

  it('cuts long names in the middle and keeps the extension', async () => {
    const page = await rowsAt('/browse/id/3/many', { viewport: { width: 260, height: 500 } })
    const [head, tail] = await page.$eval('.rows .name', (name) =>
      [...name.children].map(({ scrollWidth, clientWidth, textContent }) => ({
        isCut: scrollWidth > clientWidth,
        textContent,
      })),
    )
    expect(head?.isCut).toBe(true)
    expect(tail).toMatchObject({ textContent: expect.stringMatching(/\.txt$/) })
  })
}
