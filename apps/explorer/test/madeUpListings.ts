// Directories with made-up listings: with more entries than a test can create, streamed or cut.
import { once } from 'node:events'
import { createServer, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { names, opened, rowsAt } from './opened.js'
import { nameOfMany } from './world.js'

const entry = (index: number) => ({
  visibility: { inherited: true, visibility: 'public' },
  is_file: true,
  name: nameOfMany(index),
  last_modified: 1_713_182_580,
  size: index,
})

const indexOf = (name: string): number => Number(/\d+/.exec(name)?.[0])

const listingOf = ({ searchParams }: URL, entryCount: number) => {
  const limit = Number(searchParams.get('limit'))
  const after = searchParams.get('after')
  const first = after === null ? 0 : indexOf(after) + 1
  const end = Math.min(first + limit, entryCount)
  const content = Array.from({ length: end - first }, (_, place) => entry(first + place))
  const next = `<?limit=${limit}&after=${encodeURIComponent(nameOfMany(end - 1))}>; rel="next"`
  return { body: JSON.stringify({ type: 'dir content', content }), headers: end < entryCount ? { Link: next } : {} }
}

type SendBody = (response: ServerResponse, body: string) => unknown

const sendWhole: SendBody = (response, body) => response.end(body)

/** Without a length, in chunks that end within entries. */
const sendChunks: SendBody = async (response, body) => {
  for (let start = 0; start < body.length; start += 50_001) {
    response.write(body.slice(start, start + 50_001))
    await setImmediate()
  }
  response.end()
}

const sendHalf: SendBody = (response, body) => {
  response.write(body.slice(0, body.length / 2))
  setTimeout(() => response.destroy(), 50)
}

/** Starts a proxy of the service that makes up listings. */
const startListings = async (entryCount: number, sendBody: (after: string | null) => SendBody) => {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', opened.url)
    if (url.pathname.includes('/diritems/')) {
      const { body, headers } = listingOf(url, entryCount)
      response.writeHead(200, headers)
      return sendBody(url.searchParams.get('after'))(response, body)
    }
    return send(url, { headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    }).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const stop = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}`, stop }
}

const scrollTo = (page: Page, share: number): Promise<void> =>
  page.$eval('.scroller', (scroller, at) => scroller.scrollTo(0, scroller.scrollHeight * at), share)

/** The entry in the middle of the view. */
const middleEntry = (page: Page): Promise<number> =>
  page.$eval('.scroller', (scroller) => {
    const { left, top, width, height } = scroller.getBoundingClientRect()
    const row = document.elementFromPoint(left + width / 2, top + height / 2)?.closest('.row')
    return Number(row?.ariaRowIndex) - 2
  })

export const madeUpListings = (): void => {
  it('reaches each of 950,000 entries by keys, wheel and scrollbar', async () => {
    const entryCount = 950_000
    const service = await startListings(entryCount, () => sendWhole)
    const page = await opened.tab(`${service.url}/browse/id/3/many`, { deviceScaleFactor: 2 })
    await page.waitForSelector('.rows .row')

    await page.keyboard.press('End')
    const last = page.locator(`.row[aria-selected=true]:has-text("${nameOfMany(entryCount - 1)}")`)
    await last.waitFor()
    const [row, scroller] = [await last.boundingBox(), await page.locator('.scroller').boundingBox()]
    expect((row?.y ?? 0) + (row?.height ?? 0)).toBeLessThanOrEqual((scroller?.y ?? 0) + (scroller?.height ?? 0) + 1)

    await page.keyboard.press('ArrowUp')
    await page.waitForSelector(`.row[aria-selected=true]:has-text("${nameOfMany(entryCount - 2)}")`)

    // The wheel scrolls by pixels, so that it passes over no row.
    const before = await middleEntry(page)
    await page.mouse.move(500, 400)
    await page.mouse.wheel(0, -360)
    await expect.poll(() => middleEntry(page)).toBe(before - 10)

    await scrollTo(page, 0.5)
    await expect.poll(() => middleEntry(page)).toBeGreaterThan(entryCount * 0.499)
    await expect.poll(() => middleEntry(page)).toBeLessThan(entryCount * 0.501)
    await scrollTo(page, 1)
    await page.waitForSelector(`.row:has-text("${nameOfMany(entryCount - 1)}")`)
    await scrollTo(page, 0)
    await page.waitForSelector(`.row:has-text("${nameOfMany(0)}")`)
    expect(await page.locator('.rows .row').count()).toBeLessThan(80)
    service.stop()
  })
  const selectLast = async (page: Page, entryCount: number): Promise<void> => {
    await page.keyboard.press('End')
    await page.waitForSelector(`.row[aria-selected=true]:has-text("${nameOfMany(entryCount - 1)}")`)
    await expect.poll(() => page.innerText('footer')).toContain(`${entryCount.toLocaleString('en')} files`)
  }

  it('loads pages that are streamed in chunks, to the last one', async () => {
    const entryCount = 25_500
    const service = await startListings(entryCount, () => sendChunks)
    const page = await rowsAt(`${service.url}/browse/id/3/many`)
    await selectLast(page, entryCount)
    expect((await names(page)).at(-1)).toBe(nameOfMany(entryCount - 1))
    service.stop()
  })

  it('keeps the rows before a cut page, and continues after them', async () => {
    const entryCount = 5_500
    const cuts = new Set([nameOfMany(999)])
    const service = await startListings(entryCount, (after) => (cuts.delete(after ?? '') ? sendHalf : sendChunks))
    const page = await rowsAt(`${service.url}/browse/id/3/many`)
    await page.keyboard.press('End')
    await page.waitForSelector('.rest')
    await expect.poll(() => page.innerText('footer')).toContain('1,000 items so far')
    await page.waitForSelector(`.row:has-text("${nameOfMany(0)}")`)
    await page.click('.rest button')
    await selectLast(page, entryCount)
    service.stop()
  })
}
