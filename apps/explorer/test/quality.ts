import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import type { AxeResults } from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, it } from 'vitest'
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

export const quality = (opened: () => Opened): void => {
  it.each(looks)('axe finds nothing %s', async (_, options) => {
    const pages = [
      ['/', '.start'],
      [`/browse/files/photos#token=${token}`, '.rows .row'],
      ['/browse/id/1/odd', '.rows .row'],
      ['/browse/id/1/photos/IMG_2.jpg', '.card'],
      [`/browse/peek#trigger=${encodeURIComponent(trigger)}`, '.json'],
      ['/browse/id/99', '.state'],
      ['/browse/id/2', '.state'],
      ['/browse/id/1/empty', '.state'],
      [`/browse/files/open/secret#token=${deepToken}`, '.why .chain'],
      [`/browse/files/diary?as=visitor#token=${token}`, '[data-state=closed]'],
      ['/docs', '.operation'],
    ] as const
    for (const [address, ready] of pages) {
      const page = await opened().tab(address, options)
      if (ready === '.why .chain' && options.hasTouch) await page.tap('.fold >> nth=1')
      await page.waitForSelector(ready)
      if (ready === '.rows .row') await page.keyboard.press('ArrowDown')
      if (ready === '.why .chain') {
        await page.click('text=Show a map of sizes')
        await page.waitForSelector('.treemap li')
      }
      if (ready === '.operation') await page.click('summary >> nth=0')
      const found = [...(await violations(page))]
      if (ready === '.rows .row' && options.hasTouch) {
        await page.tap('.fold >> nth=0')
        await page.waitForSelector('dialog [role=treeitem]')
        found.push(...(await violations(page)))
      }
      expect([address, found]).toEqual([address, []])
      if (address !== '/') continue
      await page.keyboard.press('?')
      expect(['help', await violations(page)]).toEqual(['help', []])
    }
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
