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

interface Sight {
  readonly name: string
  readonly address: string
  /** Appears in the tested state. */
  readonly shows: string
  /** The steps to that state, in this order. `sheet` opens on a phone what other screens show. */
  readonly fill?: string
  readonly sheet?: string
  readonly click?: string
  readonly key?: string
}

const ofPhotos = `/browse/files/photos#token=${token}`
const [folders, details] = ['.fold[aria-label="Folders"]', '.fold[aria-label="Visibility details"]']

const sights: ReadonlyArray<Sight> = [
  { name: 'the start page', address: '/', shows: '.start' },
  { name: 'the help', address: '/', key: '?', shows: 'dialog[open]' },
  { name: 'a listing with a selected row', address: ofPhotos, key: 'ArrowDown', shows: '.row[aria-selected=true]' },
  { name: 'odd names', address: '/browse/id/1/odd', shows: '.rows .row' },
  { name: 'a filter without a match', address: ofPhotos, fill: 'nothing like it', shows: '.state' },
  { name: 'a search', address: ofPhotos, fill: 'st', click: 'text=Search subfolders', shows: '.result' },
  { name: 'a file without its content', address: '/browse/id/1/photos/IMG_2.jpg', shows: '.card .chain' },
  { name: 'a picture', address: 'files:/browse/id/7/media/1%20picture.bmp', shows: '.card img' },
  { name: 'a sound', address: 'files:/browse/id/7/media/2%20sound.wav', shows: '.card audio' },
  { name: 'a text', address: 'files:/browse/id/7/media/3%20notes.txt', shows: '.card .content' },
  { name: 'a broken picture', address: 'files:/browse/id/7/media/6%20broken.png', shows: '.card [role=status]' },
  { name: 'a trigger', address: `/browse/peek#trigger=${encodeURIComponent(trigger)}`, shows: '.json' },
  { name: 'an unknown trigger', address: '/browse/peek#trigger=none', shows: '[data-state="trigger not found"]' },
  { name: 'a private directory', address: '/browse/id/99', shows: '[data-state=private]' },
  { name: 'a failing storage', address: '/browse/id/2', shows: '[data-state=external]' },
  { name: 'a path outside a token', address: `/browse/#token=${scopedToken}`, shows: '[data-state=outside]' },
  { name: 'an empty directory', address: '/browse/id/1/empty', shows: '[data-state=empty]' },
  { name: 'a preview', address: `/browse/files/diary?as=visitor#token=${token}`, shows: '[data-state=closed]' },
  {
    name: 'the command for a visibility',
    address: `${ofPhotos}&user=1`,
    sheet: details,
    click: 'text=Change visibility',
    shows: '.command code',
  },
  {
    name: 'the dialog for a public link',
    address: ofPhotos,
    sheet: '.more',
    click: 'text=Copy public link',
    shows: 'dialog #own-user',
  },
  {
    name: 'the outline',
    address: `/browse/files/open#token=${deepToken}`,
    sheet: folders,
    shows: '[role=treeitem] >> nth=3',
  },
  {
    name: 'the map of sizes',
    address: `/browse/files/open/secret#token=${deepToken}`,
    sheet: details,
    click: 'text=Show disk usage',
    shows: '.treemap li',
  },
  { name: 'the API', address: '/docs', click: 'summary >> nth=0', shows: 'details[open]' },
]

export const quality = (): void => {
  describe.each(looks)('axe reports no violation %s', (_, options) => {
    it.each(sights)('in $name', async ({ address, fill, sheet, click, key, shows }) => {
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
