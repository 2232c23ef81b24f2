import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import type { AxeResults } from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { opened, phone, requestsSince, rowsAt } from './opened.js'
import { deepToken, scopedToken, token, trigger } from './world.js'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

declare const window: Window & { readonly axe: { readonly run: () => Promise<AxeResults> } }

const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const { violations: found } = await window.axe.run()
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  })
}

const built = new URL('../dist/assets/', import.meta.url)

const looks: ReadonlyArray<readonly [string, BrowserContextOptions]> = [
  ['in light', { colorScheme: 'light' }],
  ['in dark', { colorScheme: 'dark' }],
  ['on a phone', { colorScheme: 'light', ...phone }],
  ['in forced colours', { forcedColors: 'active' }],
]

/** The steps to the tested state, in this order. `sheet` opens on a phone what other screens show. */
type Steps = Readonly<Partial<Record<'fill' | 'sheet' | 'click' | 'key', string>>>

const ofPhotos = `/browse/files/photos#token=${token}`
const ofDeep = (path: string) => `/browse/files${path}#token=${deepToken}`
const details = '.fold[aria-label="Visibility details"]'

const sights: ReadonlyArray<[name: string, address: string, shows: string, steps?: Steps]> = [
  ['the start page', '/', '.start'],
  ['the help', '/', 'dialog[open]', { key: '?' }],
  ['a listing with a selected row', ofPhotos, '.row[aria-selected=true]', { key: 'ArrowDown' }],
  ['odd names', '/browse/id/1/odd', '.rows .row'],
  ['a filter without a match', ofPhotos, '.state', { fill: 'nothing like it' }],
  ['a search', ofPhotos, '.result', { fill: 'st', click: 'text=Search subfolders' }],
  ['a file without its content', '/browse/id/1/photos/IMG_2.jpg', '.card .chain'],
  ['a picture', 'files:/browse/id/7/media/1%20picture.gif', '.card img'],
  ['a sound', 'files:/browse/id/7/media/2%20sound.wav', '.card audio'],
  ['a text', 'files:/browse/id/7/media/3%20notes.txt', '.card .content'],
  ['a broken picture', 'files:/browse/id/7/media/6%20broken.png', '.card [role=status]'],
  ['a trigger', `/browse/peek#trigger=${encodeURIComponent(trigger)}`, '.json'],
  ['an unknown trigger', '/browse/peek#trigger=none', '[data-state="trigger not found"]'],
  ['a private directory', '/browse/id/99', '[data-state=private]'],
  ['a failing storage', '/browse/id/2', '[data-state=external]'],
  ['a path outside a token', `/browse/#token=${scopedToken}`, '[data-state=outside]'],
  ['an empty directory', '/browse/id/1/empty', '[data-state=empty]'],
  ['a preview', `/browse/files/diary?as=visitor#token=${token}`, '[data-state=closed]'],
  ['a command', `${ofPhotos}&user=1`, '.command code', { sheet: details, click: 'text=Change visibility' }],
  ['the dialog for a public link', ofPhotos, 'dialog #own-user', { sheet: '.more', click: 'text=Copy public link' }],
  ['the outline', ofDeep('/open'), '[role=treeitem] >> nth=3', { sheet: '.fold[aria-label="Folders"]' }],
  ['the map of sizes', ofDeep('/open/secret'), '.treemap li', { sheet: details, click: 'text=Show disk usage' }],
  ['the API', '/docs', 'details[open]', { click: 'summary >> nth=0' }],
]

export const quality = (): void => {
  describe.each(looks)('axe reports no violation %s', (_, options) => {
    it.each(sights)('in %s', async (_name, address, shows, { fill, sheet, click, key } = {}) => {
      const page = await opened.tab(address.replace('files:', opened.filesUrl), options)
      if (fill !== undefined) await page.fill('.filter input', fill)
      if (sheet !== undefined && options.hasTouch === true) await page.tap(sheet)
      if (click !== undefined) await page.click(click)
      if (key !== undefined) {
        await page.waitForSelector('.start, .rows .row')
        await page.keyboard.press(key)
      }
      await page.waitForSelector(shows)
      expect(await violations(page)).toEqual([])
    })

    it('in the question before a token is replaced', async () => {
      const page = await rowsAt(ofPhotos, options)
      await page.evaluate((text) => location.assign(`#token=${text}`), deepToken)
      await page.waitForSelector('dialog[open]')
      expect(await violations(page)).toEqual([])
    })
  })

  it('loads at most 70 KB of compressed JavaScript for the first view', async () => {
    const from = opened.requests.length
    const page = await opened.tab(`/browse/files/photos#token=${token}`)
    await page.waitForSelector('.why .chain')
    await page.waitForSelector('[role=treeitem]')
    const scripts = requestsSince(from, /\.js$/)
    const bytes = scripts.reduce(
      (sum, url) => sum + gzipSync(readFileSync(new URL(url.slice(url.lastIndexOf('/') + 1), built))).length,
      0,
    )
    expect(scripts.length).toBeGreaterThan(1)
    expect(bytes).toBeLessThanOrEqual(70 * 1024)
  })

  it('loads without layout shift', async () => {
    for (const [name, options] of looks) {
      const page = await rowsAt('/browse/id/1/photos', options)
      if (name !== 'on a phone') await page.waitForSelector('.why .chain')
      const shift = await page.evaluate(
        () =>
          new Promise<number>((resolve) => {
            let sum = 0
            new PerformanceObserver((list) => {
              for (const entry of list.getEntries()) sum += (entry as unknown as { readonly value: number }).value
            }).observe({ type: 'layout-shift', buffered: true })
            setTimeout(() => resolve(sum), 200)
          }),
      )
      expect(shift).toBe(0)
    }
  })

  it('sends no request to other origins, and has no policy violation or error', () => {
    const { requests, complaints, url, prefixedUrl, filesUrl } = opened
    const own = [url, prefixedUrl, filesUrl].map((each) => new URL(each).host)
    const others = requests.filter(
      (each) =>
        !each.startsWith('blob:') && !own.includes(new URL(each).host) && new URL(each).hostname !== '127.0.0.1',
    )
    expect(requests).not.toEqual([])
    expect([others, complaints]).toEqual([[], []])
  })
}
