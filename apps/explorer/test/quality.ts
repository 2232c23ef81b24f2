import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import type { AxeResults } from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Opened } from './opened.js'
import { token, trigger } from './world.js'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

declare const window: Window & { readonly axe: { readonly run: () => Promise<AxeResults> } }

const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const { violations: found } = await window.axe.run()
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  })
}

const built = new URL('../dist/explorer/', import.meta.url)

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
    ] as const
    for (const [address, ready] of pages) {
      const page = await opened().tab(address, options)
      await page.waitForSelector(ready)
      if (ready === '.rows .row') await page.keyboard.press('ArrowDown')
      expect([address, await violations(page)]).toEqual([address, []])
      if (address !== '/') continue
      await page.keyboard.press('?')
      expect(['help', await violations(page)]).toEqual(['help', []])
    }
  })

  it('takes at most 60 KB of JavaScript, compressed, for the first view', () => {
    const scripts = readdirSync(built).filter((name) => name.endsWith('.js'))
    const bytes = scripts.reduce((sum, name) => sum + gzipSync(readFileSync(new URL(name, built))).length, 0)
    console.log(`the explorer: ${bytes} bytes of JavaScript with gzip`)
    expect(bytes).toBeLessThanOrEqual(60 * 1024)
  })

  it('moves nothing that is there while it loads', async () => {
    for (const [, options] of looks) {
      const page = await opened().tab('/browse/id/1/photos', options)
      await page.waitForSelector('.rows .row')
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
    const { asked, complaints, url, limitedUrl, memoryUrl, prefixedUrl } = opened()
    const own = [url, limitedUrl, memoryUrl, prefixedUrl].map((each) => new URL(each).host)
    const others = asked.filter((each) => !own.includes(new URL(each).host) && new URL(each).hostname !== '127.0.0.1')
    expect(asked).not.toEqual([])
    expect([others, complaints]).toEqual([[], []])
  })
}
