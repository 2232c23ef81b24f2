import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { names, ofOwner, opened, requestsSince, rowsAt, rowsOf, state } from './opened.js'
import { longName, nameOfMany, photos, unknownToken, unverifiedToken, wholeNames } from './world.js'

const listingOf = ({ searchParams }: URL, entryCount: number) => {
  const after = searchParams.get('after')
  const first = after === null ? 0 : Number(/\d+/.exec(after)?.[0]) + 1
  const end = Math.min(first + Number(searchParams.get('limit')), entryCount)
  const content = Array.from({ length: end - first }, (_, place) => ({
    visibility: { inherited: true, visibility: 'public' },
    is_file: true,
    name: nameOfMany(first + place),
    last_modified: 1_713_182_580,
    size: first + place,
  }))
  const next = `<?after=${encodeURIComponent(nameOfMany(end - 1))}&limit=${searchParams.get('limit')}>; rel="next"`
  return { json: { type: 'dir content', content }, headers: end < entryCount ? { link: next } : {} }
}

const middleEntry = (page: Page): Promise<number> =>
  page.$eval('.scroller', (scroller) => {
    const { left, top, width, height } = scroller.getBoundingClientRect()
    const row = document.elementFromPoint(left + width / 2, top + height / 2)?.closest('.row')
    return Number(row?.ariaRowIndex) - 2
  })

/** The rows of `/photos` in the accessibility tree. */
const photosAsText = `
row "Name Visibility Size Modified Copy link"
row "Folder drafts hidden — 15 Apr 2024 Copy path Copy link"
row "Folder raw public — 15 Apr 2024 Copy path Copy link"
row "Image IMG_2.jpg public 4.2 MB 3 days ago Copy path Copy link"
row "Image IMG_10.jpg public 30 B 15 Apr 2024 Copy path Copy link"
row "Document invoice.pdf private 96 KB 15 Apr 2024 Copy path Copy link"`

export const listings = (): void => {
  it('shows the kind of an entry, sums in the footer, and exact values on hover', async () => {
    const page = await ofOwner('/photos')
    const row = page.locator('.row:has-text("IMG_2.jpg")')
    expect(await row.locator('.cell-size span').getAttribute('title')).toBe('4,200,000 bytes')
    expect(await row.locator('time').getAttribute('title')).toMatch(/\d{4} at \d\d:\d\d:\d\d .*\(3 days ago\)/)
    expect(await row.locator('.icon.image').count()).toBe(1)
    expect(await page.locator('.row:has-text("raw") .icon.folder').count()).toBe(1)
    await expect
      .poll(() => page.innerText('footer'))
      .toMatch(/3 files, 2 folders, 4\.3 MB.*1 hidden, 1 private.*Read-only/s)
    await rowsAt(`/browse/id/6/${encodeURIComponent(longName)}`).then((other) =>
      other.waitForSelector('.row:has-text("second.dng") .icon.image'),
    )
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
      'Visitors who know the name can open it, but it isn’t listed. Set here or by a rule.',
    )
    const background = (name: string) => mark(name).evaluate((element) => getComputedStyle(element).backgroundColor)
    expect(await background('raw')).toBe('rgba(0, 0, 0, 0)')
    expect(await background('drafts')).not.toBe(await background('invoice.pdf'))
  })

  it('sorts by name, size and time, and sets aria-sort', async () => {
    const page = await ofOwner('/photos')
    const sorts = () => page.$$eval('[aria-sort]', (heads) => heads.map((head) => head.getAttribute('aria-sort')))
    expect(await sorts()).toEqual(['ascending', 'none', 'none'])
    for (const [head, rows, sorted] of [
      ['Size', ['drafts', 'raw', 'IMG_10.jpg', 'invoice.pdf', 'IMG_2.jpg'], ['none', 'ascending', 'none']],
      ['Size', ['raw', 'drafts', 'IMG_2.jpg', 'invoice.pdf', 'IMG_10.jpg'], ['none', 'descending', 'none']],
      ['Modified', ['drafts', 'raw', 'IMG_10.jpg', 'invoice.pdf', 'IMG_2.jpg'], ['none', 'none', 'ascending']],
      ['Name', photos, ['ascending', 'none', 'none']],
      ['Name', ['raw', 'drafts', 'invoice.pdf', 'IMG_10.jpg', 'IMG_2.jpg'], ['descending', 'none', 'none']],
    ] as const) {
      await page.click(`.head >> text=${head}`)
      await rowsOf(page, rows)
      expect(await sorts()).toEqual(sorted)
    }
  })

  it('shows folders first in natural order, unless the person chooses otherwise', async () => {
    const page = await ofOwner('/photos')
    await rowsOf(page, photos)
    await page.click('text=2 before 10')
    await rowsOf(page, ['drafts', 'raw', 'IMG_10.jpg', 'IMG_2.jpg', 'invoice.pdf'])
    await page.click('text=Folders first')
    await rowsOf(page, ['IMG_10.jpg', 'IMG_2.jpg', 'drafts', 'invoice.pdf', 'raw'])
    await page.reload()
    await rowsOf(page, ['IMG_10.jpg', 'IMG_2.jpg', 'drafts', 'invoice.pdf', 'raw'])
    await expect.poll(() => page.getAttribute('text=2 before 10', 'aria-pressed')).toBe('false')
  })

  it('filters while typing, ignoring case, accents and Turkish dots', async () => {
    const page = await ofOwner('/photos')
    await page.fill('.filter input', 'img')
    await rowsOf(page, ['IMG_2.jpg', 'IMG_10.jpg'])
    await expect.poll(() => page.innerText('footer')).toContain('2 files, 4.2 MB (filtered from 5)')
    await page.fill('.filter input', 'nothing like it')
    await page.click('text=Clear filter')
    await rowsOf(page, photos)
    const other = await rowsAt('/browse/id/6/names')
    await other.fill('.filter input', 'istanbul')
    await rowsOf(other, ['İSTANBUL.txt'])
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
        `${loaded},000 items so far`,
      )
      expect((await names(page)).length).toBeLessThan(80)
      await page.$eval('.scroller', (scroller) => scroller.scrollTo(0, scroller.scrollHeight))
    }
    await expect.poll(pagesAsked, { timeout: 10_000 }).toBe(7)
  })

  it('reaches each of 950,000 entries by keys, wheel and scrollbar', async () => {
    const page = await opened.tab('/healthz', { deviceScaleFactor: 2 })
    await page.route('**/diritems/**', (route) => route.fulfill(listingOf(new URL(route.request().url()), 950_000)))
    await page.goto(`${opened.url}/browse/id/3/many`)
    await page.waitForSelector('.rows .row')
    await page.keyboard.press('End')
    const last = page.locator(`.row[aria-selected=true]:has-text("${nameOfMany(949_999)}")`)
    await last.waitFor()
    const [row, scroller] = [await last.boundingBox(), await page.locator('.scroller').boundingBox()]
    expect((row?.y ?? 0) + (row?.height ?? 0)).toBeLessThanOrEqual((scroller?.y ?? 0) + (scroller?.height ?? 0) + 1)
    await page.keyboard.press('ArrowUp')
    await page.waitForSelector(`.row[aria-selected=true]:has-text("${nameOfMany(949_998)}")`)

    // The wheel scrolls by pixels, so that it passes over no row.
    const before = await middleEntry(page)
    await page.mouse.move(500, 400)
    await page.mouse.wheel(0, -360)
    await expect.poll(() => middleEntry(page)).toBe(before - 10)

    for (const share of [0.5, 1, 0]) {
      // A scrollbar that is dragged scrolls many times, and a late wheel event may undo one of them.
      const distance = async () => {
        await page.$eval('.scroller', (element, at) => element.scrollTo(0, element.scrollHeight * at), share)
        return Math.abs((await middleEntry(page)) - share * 950_000)
      }
      await expect.poll(distance).toBeLessThan(1000)
    }
    await page.waitForSelector(`.row:has-text("${nameOfMany(0)}")`)
    expect(await page.locator('.rows .row').count()).toBeLessThan(80)
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
    expect(await shownBefore).toContain('Loading the whole folder')
    await rowsOf(page, [nameOfMany(99_999)])
    await expect.poll(() => page.innerText('footer')).toContain('(filtered from 100,000)')
  })

  it.each([
    ['empty', '/browse/id/1/empty', 'This folder is empty'],
    ['private', '/browse/id/1/diary', 'Only the owner can tell whether something is here'],
    ['private', '/browse/id/nobody', 'Only the owner can tell whether something is here'],
    ['file not found', '/browse/id/1/photos/none', 'Go to the parent folder'],
    ['type mismatch', '/browse/id/1/photos/IMG_2.jpg/x', 'Part of this path is a file'],
    ['external', '/browse/id/2', 'Storage unavailable'],
    ['invalid token', `/browse/files#token=${unknownToken}`, 'mistyped'],
    ['invalid token', '/browse/files#token=cnp_short', 'mistyped'],
    ['not verified', `/browse/files#token=${unverifiedToken}`, 'administrator'],
    ['unknown', '/browse/elsewhere', 'There is nothing at this address'],
    ['unknown', '/browse/id/1/%ff', 'There is nothing at this address'],
  ])('explains the state "%s" at %s', async (name, address, saying) => {
    const page = await opened.tab(address)
    expect(await state(page, name)).toContain(saying)
  })

  it('has every name in one box of text, which can be found and selected', async () => {
    const page = await rowsAt('/browse/id/6/names')
    for (const name of wholeNames) {
      const found = await page.evaluate((text) => {
        getSelection()?.removeAllRanges()
        // What Ctrl+F does; TypeScript does not know it, because it is no standard.
        const isFound = (window as unknown as { find: (text: string) => boolean }).find(text)
        const range = getSelection()?.getRangeAt(0)
        return [isFound, getSelection()?.toString(), range?.startContainer === range?.endContainer]
      }, name)
      expect(found).toEqual([true, name, true])
      const link = page.getByRole('link', { name, exact: false }).last()
      expect(await link.textContent()).toBe(name)
    }
  })

  it('reads a listing as rows of whole names', async () => {
    const page = await ofOwner('/photos')
    const grid = await page.locator('[role=grid]').ariaSnapshot()
    const rows = grid.split('\n').flatMap((line) => /^ *- (row ".*"):$/.exec(line)?.[1] ?? [])
    expect(rows).toEqual(photosAsText.trim().split('\n'))
    for (const name of photos) expect(grid).toContain(`- text: ${name}\n`)
  })
}
