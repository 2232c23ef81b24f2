import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import type { AxeResults } from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Opened } from './opened.js'
import { deepToken, token, trigger } from './world.js'

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
  ['on a phone', { colorScheme: 'light', viewport: { width: 400, height: 760 }, hasTouch: true }],
]

/** What is looked at: an address, and what a person does there. */
const sights: ReadonlyArray<readonly [name: string, address: string, act: (page: Page, hasTouch: boolean) => unknown]> =
  [
    ['the start page', '/', (page) => page.waitForSelector('.start')],
    [
      'the help',
      '/',
      async (page) => {
        await page.waitForSelector('.start')
        await page.keyboard.press('?')
        await page.waitForSelector('dialog[open]')
      },
    ],
    [
      'a listing',
      `/browse/files/photos#token=${token}`,
      async (page) => {
        await page.waitForSelector('.rows .row')
        await page.keyboard.press('ArrowDown')
      },
    ],
    ['odd names', '/browse/id/1/odd', (page) => page.waitForSelector('.rows .row')],
    ['a file', '/browse/id/1/photos/IMG_2.jpg', (page) => page.waitForSelector('.card .chain')],
    ['a trigger', `/browse/peek#trigger=${encodeURIComponent(trigger)}`, (page) => page.waitForSelector('.json')],
    ['what is private', '/browse/id/99', (page) => page.waitForSelector('.state')],
    ['what is away', '/browse/id/2', (page) => page.waitForSelector('.state')],
    ['what is empty', '/browse/id/1/empty', (page) => page.waitForSelector('.state')],
    [
      'what visitors do not see',
      `/browse/files/diary?as=visitor#token=${token}`,
      (page) => page.waitForSelector('[data-state=closed]'),
    ],
    [
      'the outline',
      `/browse/files/open#token=${deepToken}`,
      async (page, hasTouch) => {
        await page.waitForSelector('.rows .row')
        if (hasTouch) await page.tap('.fold >> nth=0')
        await page.waitForSelector('[role=treeitem] >> nth=4')
      },
    ],
    [
      'the reasons and a map of sizes',
      `/browse/files/open/secret#token=${deepToken}`,
      async (page, hasTouch) => {
        await page.waitForSelector('.rows .row')
        if (hasTouch) await page.tap('.fold >> nth=1')
        await page.click('text=Show a map of sizes')
        await page.waitForSelector('.treemap li')
      },
    ],
    ['the API', '/docs', (page) => page.click('summary >> nth=0')],
  ]

export const quality = (opened: () => Opened): void => {
  describe.each(looks)('axe finds nothing %s', (_, options) => {
    it.each(sights)('in %s', async (_name, address, act) => {
      const page = await opened().tab(address, options)
      await act(page, options.hasTouch === true)
      expect(await violations(page)).toEqual([])
    })
  })

  it('takes at most 60 KB of JavaScript, compressed, for the first view with outline and reasons', async () => {
    const from = opened().asked.length
    const page = await opened().tab(`/browse/files/photos#token=${token}`)
    await page.waitForSelector('.why .chain')
    await page.waitForSelector('[role=treeitem]')
    const scripts = opened()
      .asked.slice(from)
      .filter((url) => url.endsWith('.js'))
    const bytes = scripts.reduce(
      (sum, url) => sum + gzipSync(readFileSync(new URL(url.slice(url.lastIndexOf('/') + 1), built))).length,
      0,
    )
    expect(scripts.length).toBeGreaterThan(1)
    console.log(`the explorer: ${bytes} bytes of JavaScript with gzip`)
    expect(bytes).toBeLessThanOrEqual(60 * 1024)
  })

  it('moves nothing that is there while it loads', async () => {
    for (const [name, options] of looks) {
      const page = await opened().tab('/browse/id/1/photos', options)
      await page.waitForSelector('.rows .row')
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

  it('asked no other origin in all of this, and nothing was refused by the policy or thrown', () => {
    const { asked, complaints, url, limitedUrl, memoryUrl, prefixedUrl, slowUrl } = opened()
    const own = [url, limitedUrl, memoryUrl, prefixedUrl, slowUrl].map((each) => new URL(each).host)
    const others = asked.filter((each) => !own.includes(new URL(each).host) && new URL(each).hostname !== '127.0.0.1')
    expect(asked).not.toEqual([])
    expect([others, complaints]).toEqual([[], []])
  })
}
