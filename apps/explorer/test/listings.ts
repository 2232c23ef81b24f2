import { expect, it } from 'vitest'
import { names, ofOwner, opened, requestsSince, rowsAt, rowsOf, state, tabOf } from './opened.js'
import { manyEntries, nameOfMany, photos, shownPhotos, unknownToken } from './world.js'

export const listings = (): void => {
  it('has breadcrumbs to every ancestor', async () => {
    const page = await tabOf(['deep'], '/browse/id/1/photos/raw')
    expect(await page.locator('.breadcrumbs a').allInnerTexts()).toEqual(['User 1', 'photos', 'raw'])
    await page.click('.breadcrumbs a:has-text("photos")')
    await rowsOf(page, shownPhotos)
  })

  it('shows name, kind, size and time, with exact values on hover', async () => {
    const page = await ofOwner('/photos')
    const row = page.locator('.row:has-text("IMG_2.jpg")')
    expect(await row.locator('.cell-size').innerText()).toBe('4.2 MB')
    expect(await row.locator('.cell-size span').getAttribute('title')).toBe('4,200,000 bytes')
    expect(await row.locator('time').innerText()).toBe('3 days ago')
    expect(await row.locator('time').getAttribute('title')).toMatch(/\d{4} at \d\d:\d\d:\d\d .*\(3 days ago\)/)
    expect(await page.locator('.row:has-text("IMG_10.jpg") time').innerText()).toBe('15 Apr 2024')
    expect(await row.locator('.icon.image').count()).toBe(1)
    expect(await page.locator('.row:has-text("raw") .icon.folder').count()).toBe(1)
    expect(await page.locator('.row:has-text("raw") .cell-size').innerText()).toBe('—')
    await expect
      .poll(() => page.innerText('footer'))
      .toMatch(/5 entries.*4\.3 MB in files.*1 hidden, 1 private.*Read only/s)
  })

  it('shows visibility as icon and word, and highlights own settings', async () => {
    const page = await ofOwner('/photos')
    const mark = (name: string) => page.locator(`.row:has-text("${name}") .visibility`)
    const shown = async (name: string) => [await mark(name).innerText(), await mark(name).getAttribute('class')]
    expect(await shown('drafts')).toEqual(['hidden', 'visibility hidden own'])
    expect(await shown('invoice.pdf')).toEqual(['private', 'visibility private own'])
    expect(await shown('raw')).toEqual(['public', 'visibility public inherited'])
    expect(await mark('drafts').locator('svg').count()).toBe(1)
    expect(await mark('drafts').getAttribute('title')).toBe(
      'Visitors who know the name can open it. It is not listed. Set here or by a rule.',
    )
    const background = (name: string) => mark(name).evaluate((element) => getComputedStyle(element).backgroundColor)
    expect(await background('raw')).toBe('rgba(0, 0, 0, 0)')
    expect(await background('drafts')).not.toBe(await background('invoice.pdf'))
  })

  it('sorts by name, size and time, and sets aria-sort', async () => {
    const page = await ofOwner('/photos')
    const sorts = () => page.$$eval('[aria-sort]', (heads) => heads.map((head) => head.getAttribute('aria-sort')))
    expect(await sorts()).toEqual(['ascending', 'none', 'none'])
    await page.click('.head >> text=Size')
    await rowsOf(page, ['drafts', 'raw', 'IMG_10.jpg', 'invoice.pdf', 'IMG_2.jpg'])
    expect(await sorts()).toEqual(['none', 'ascending', 'none'])
    await page.click('.head >> text=Size')
    await rowsOf(page, ['IMG_2.jpg', 'invoice.pdf', 'IMG_10.jpg', 'raw', 'drafts'])
    await page.click('.head >> text=Changed')
    expect(await sorts()).toEqual(['none', 'none', 'ascending'])
    expect((await names(page)).at(-1)).toMatch(/IMG_2|raw|drafts/)
    await page.click('.head >> text=Name')
    await page.click('.head >> text=Name')
    await rowsOf(page, [...photos].reverse())
    expect(await sorts()).toEqual(['descending', 'none', 'none'])
  })

  it('remembers the choices "Folders first" and "Natural order"', async () => {
    const page = await ofOwner('/photos')
    await rowsOf(page, photos)
    await page.click('text=Folders first')
    await rowsOf(page, ['drafts', 'raw', 'IMG_10.jpg', 'IMG_2.jpg', 'invoice.pdf'])
    await page.click('text=Natural order')
    await rowsOf(page, ['drafts', 'raw', 'IMG_2.jpg', 'IMG_10.jpg', 'invoice.pdf'])
    await page.reload()
    await rowsOf(page, ['drafts', 'raw', 'IMG_2.jpg', 'IMG_10.jpg', 'invoice.pdf'])
    await expect.poll(() => page.getAttribute('text=Natural order', 'aria-pressed')).toBe('true')
  })

  it('filters while typing, ignoring case', async () => {
    const page = await ofOwner('/photos')
    await page.fill('.filter input', 'img')
    await rowsOf(page, ['IMG_10.jpg', 'IMG_2.jpg'])
    await expect.poll(() => page.innerText('footer')).toContain('2 of 5')
    await page.fill('.filter input', 'nothing like it')
    await page.click('text=Show all')
    await rowsOf(page, photos)
  })

  it('renders only rows in view of 100,000 entries, and loads pages on demand', async () => {
    const from = opened.requests.length
    const page = await rowsAt('/browse/id/3/many')
    const pagesAsked = () => requestsSince(from, /\/diritems\/id\/3\/many\?/).length
    expect(pagesAsked()).toBe(1)
    for (let loaded = 1; loaded <= 6; loaded += 1) {
      // Scroll only after the previous page has made the list longer.
      await page.waitForFunction(
        (text) => document.querySelector('footer')?.textContent?.includes(text),
        `${loaded},000 entries so far`,
      )
      expect((await names(page)).length).toBeLessThan(80)
      await page.$eval('.scroller', (scroller) => scroller.scrollTo(0, scroller.scrollHeight))
    }
    await expect.poll(pagesAsked, { timeout: 10_000 }).toBe(7)
  })

  it('loads the whole listing before filtering or sorting, with progress', async () => {
    const page = await rowsAt('/browse/id/3/many')
    const shownBefore = page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          new MutationObserver(() => {
            const text = document.querySelector('.state')?.textContent ?? ''
            // A part of the entries must not appear as the result.
            if (/[1-9]\d,000/.test(text) && document.querySelector('.rows') === null) resolve(text)
          }).observe(document.body, { subtree: true, childList: true, characterData: true })
        }),
    )
    await page.fill('.filter input', '99999')
    expect(await shownBefore).toContain('Loading the whole listing')
    await rowsOf(page, [nameOfMany(99_999)])
    await expect.poll(() => page.innerText('footer')).toContain('1 of 100,000')
    await page.fill('.filter input', '')
    await page.waitForSelector(`[aria-rowcount="${manyEntries + 1}"]`)
    await page.click('.head >> text=Name')
    await page.waitForSelector(`.row:has-text("${nameOfMany(99_999)}")`)
    for (const share of [0.25, 0.5, 0.75, 1]) {
      await page.$eval('.scroller', (scroller, at) => scroller.scrollTo(0, scroller.scrollHeight * at), share)
      const name = nameOfMany(Math.round((1 - share) * (manyEntries - 1)))
      await page.waitForSelector(`.row:has-text("${name}")`)
      expect((await names(page)).length).toBeLessThan(80)
    }
  })

  it.each([
    ['empty', '/browse/id/1/empty', 'This directory is empty'],
    ['private', '/browse/id/1/diary', 'Whether anything is here, only the owner is told'],
    ['private', '/browse/id/1/diary/nothing', 'Whether anything is here, only the owner is told'],
    ['private', '/browse/id/99', 'Whether anything is here, only the owner is told'],
    ['private', '/browse/id/nobody', 'Whether anything is here, only the owner is told'],
    ['file not found', '/browse/id/1/photos/none', 'To the directory above'],
    ['type mismatch', '/browse/id/1/photos/IMG_2.jpg/x', 'A part of this path is a file'],
    ['external', '/browse/id/2', 'the storage behind it is not'],
    ['unknown', '/browse/elsewhere', 'none of the explorer'],
    ['unknown', '/browse/id/1/%ff', 'none of the explorer'],
  ])('explains the state "%s" at %s', async (name, address, saying) => {
    const page = await opened.tab(address)
    expect(await state(page, name)).toContain(saying)
  })

  it('offers a retry if the storage fails', async () => {
    const page = await opened.tab('/browse/id/2')
    await state(page, 'external')
    const asking = page.waitForRequest(/diritems/)
    await page.click('text=Try again')
    expect((await asking).url()).toContain('/diritems/id/2?')
  })

  it('counts down after too many attempts', async () => {
    const { limitedUrl, tab } = opened
    const page = await tab(`${limitedUrl}/browse/files#token=${unknownToken}`)
    await state(page, 'invalid token')
    await page.reload()
    const text = await state(page, 'too many requests')
    const seconds = Number(/in (\d+) second/.exec(text)?.[1])
    expect(seconds).toBeGreaterThan(0)
    await expect.poll(() => page.innerText('.countdown')).toContain(`${seconds - 1}`)
  })

  it('shows all facts about a file', async () => {
    const page = await ofOwner('/photos')
    await page.click('.rows a:has-text("invoice.pdf")')
    await page.waitForSelector('.card')
    await expect
      .poll(() => page.innerText('.card'))
      .toMatch(
        /invoice\.pdf.*private.*Only its owner sees it\. Set here or by a rule\..*96 KB \(96,000 bytes\).*\/photos\/invoice\.pdf/s,
      )
  })
}
