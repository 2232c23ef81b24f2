import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { filesToken, page as hostilePage, longText } from './filesWorld.js'
import { opened, rowsAt } from './opened.js'
import { nameOfMany, token } from './world.js'

const views = [
  ['a visitor', '/browse/id/7/media', ''],
  ['the owner', '/browse/files/media', `#token=${filesToken}`],
] as const

export const files = (): void => {
  const open = async (path: string, name: string, fragment = ''): Promise<Page> => {
    const page = await rowsAt(`${opened.filesUrl}${path}${fragment}`)
    await page.click(`.rows a:has-text("${name}")`)
    await page.waitForSelector('.card')
    return page
  }
  const heading = (page: Page) => page.innerText('.card h1')

  describe.each(views)('for %s', (who, path, fragment) => {
    it('shows images, audio and text in place', async () => {
      const page = await open(path, 'picture', fragment)
      const image = page.locator('.card img')
      await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(1)
      expect(await image.getAttribute('src')).toMatch(who === 'the owner' ? /^blob:/ : /\/files\/id\/7\//)
      await page.keyboard.press('ArrowRight')
      await expect.poll(() => heading(page)).toBe('2 sound.wav')
      if (who === 'the owner') await page.click('text=Show (')
      const seconds = () =>
        page.locator('audio').evaluate((element: HTMLAudioElement) => Math.round(element.duration * 1000))
      await expect.poll(seconds).toBe(8)
      await page.keyboard.press('ArrowRight')
      await expect.poll(() => page.innerText('.content')).toBe('first\nsecond')
      await page.keyboard.press('ArrowLeft')
      await expect.poll(() => heading(page)).toBe('2 sound.wav')
      await page.goBack()
      await page.waitForSelector('.row:has-text("picture")')
    })

    it('saves a file under its name, and leads back to its row', async () => {
      const page = await open(path, 'notes', fragment)
      const downloading = page.waitForEvent('download')
      await page.click('.card >> text=Download')
      const download = await downloading
      expect(download.suggestedFilename()).toBe('3 notes.txt')
      expect(await readFile(await download.path(), 'utf8')).toBe('first\nsecond')
      expect(await page.title()).toBe('3 notes.txt – Canopy')
      await page.click('.file-actions a')
      await expect.poll(() => page.innerText('.row[aria-selected=true] .name')).toBe('3 notes.txt')
    })

    it('saves a folder as an archive of the nodes that the view shows', async () => {
      const page = await rowsAt(`${opened.filesUrl}${path}${fragment}`)
      const downloading = page.waitForEvent('download')
      await page.click('[aria-label="Download folder"]')
      const download = await downloading
      expect(download.suggestedFilename()).toBe('media.zip')
      const archive = await readFile(await download.path(), 'latin1')
      expect([archive.startsWith('PK'), archive.includes('my secret')]).toEqual([true, who === 'the owner'])
    })
  })

  it('shows pages and drawings as text and runs none of their scripts', async () => {
    const page = await open('/browse/id/7/media', 'page.html')
    await expect.poll(() => page.innerText('.content')).toBe(hostilePage)
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => page.innerText('.content')).toContain('onload')
    expect(await page.locator('iframe, object, embed, .content *').count()).toBe(0)
    expect([page.context().pages().length, await page.title()]).toEqual([1, '5 drawing.svg – Canopy'])
  })

  it('cuts a long text, and says what the browser cannot show', async () => {
    const page = await open('/browse/id/7/media', 'broken')
    await expect.poll(() => page.innerText('.card')).toContain('Your browser can’t show this file')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => page.innerText('.card')).toContain('Only the beginning is shown')
    expect((await page.innerText('.content')).length).toBeLessThan(longText.length)
  })

  it('goes from file to file beyond the first 10,000 entries of a link', async () => {
    const page = await opened.tab(`/browse/id/3/many/${encodeURIComponent(nameOfMany(19_999))}`)
    for (const [key, index] of [
      ['ArrowRight', 20_000],
      ['ArrowLeft', 19_999],
      ['ArrowLeft', 19_998],
    ] as const) {
      await page.waitForSelector('.card .chain')
      await page.keyboard.press(key)
      await expect.poll(() => heading(page)).toBe(nameOfMany(index))
    }
  })

  it('goes from file to file beyond the loaded rows of a listing', async () => {
    const page = await rowsAt('/browse/id/3/many')
    await page.$eval('.scroller', (scroller) => scroller.scrollTo(0, scroller.scrollHeight))
    await expect.poll(() => page.innerText('footer')).toContain('2,000 items so far')
    await page.route('**/diritems/**', (route) => route.abort())
    await page.$eval('.scroller', (scroller) => scroller.scrollTo(0, scroller.scrollHeight))
    await page.waitForSelector('.rest')
    await page.unroute('**/diritems/**')
    await page.click(`.rows a:has-text("${nameOfMany(1999)}")`)
    await page.waitForSelector('.card')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => heading(page)).toBe(nameOfMany(2000))
  })

  it('never puts a token into the address of an element, a link or a tab', async () => {
    const from = opened.requests.length
    const page = await open('/browse/files/media', 'picture', `#token=${filesToken}`)
    const kinds = new Set<string>()
    page.on('request', (request) => request.url().includes(filesToken) && kinds.add(request.resourceType()))
    await page.waitForSelector('.card img')
    await page.keyboard.press('ArrowRight')
    await page.click('text=Show (')
    await page.waitForSelector('audio')
    expect(await page.content()).not.toContain(filesToken)
    expect([...kinds]).toEqual(['fetch'])
    const addresses = opened.requests.slice(from).filter((url) => url.includes(filesToken) && !url.includes('#'))
    expect(addresses.every((url) => /^\/(?:files\/token|api\/storage)\//.test(new URL(url).pathname))).toBe(true)
  })

  it('says once that a service sends no content', async () => {
    const page = await rowsAt(`/browse/files/photos#token=${token}`)
    await page.click('.rows a:has-text("IMG_2")')
    await expect.poll(() => page.innerText('.card')).toContain('not file contents')
    expect(await page.locator('text=Download').count()).toBe(0)
    expect((await page.innerText('body')).split('not file contents')).toHaveLength(2)
    await page.keyboard.press('Backspace')
    await page.waitForSelector('.rows .row')
    expect(await page.locator('[aria-label="Download folder"]').count()).toBe(0)
  })
}
