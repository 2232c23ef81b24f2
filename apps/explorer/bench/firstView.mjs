// Prints time, bytes and layout shift of the first view of a directory in Chromium.
import { withService } from './service.mjs'

const visit = async ({ url, browser }) => {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 720 } })).newPage()
  await page.addInitScript(() => {
    globalThis.shift = 0
    new PerformanceObserver((list) => {
      for (const { value } of list.getEntries()) globalThis.shift += value
    }).observe({ type: 'layout-shift', buffered: true })
    globalThis.painted = 0
    new PerformanceObserver((list) => {
      globalThis.painted = list.getEntries().at(-1).startTime
    }).observe({ type: 'largest-contentful-paint', buffered: true })
    new MutationObserver(() => {
      if (document.querySelector('.rows .row') !== null) globalThis.rows ??= performance.now()
    }).observe(document, { subtree: true, childList: true })
  })
  await page.goto(`${url}/browse/id/1`)
  await page.waitForSelector('.rows .row')
  await page.waitForTimeout(300)
  const figures = await page.evaluate(() => ({
    rows: globalThis.rows,
    painted: globalThis.painted,
    shift: globalThis.shift,
    bytes: performance.getEntriesByType('resource').reduce((sum, { transferSize }) => sum + transferSize, 0),
  }))
  await page.context().close()
  return figures
}

const median = (numbers) => numbers.sort((one, other) => one - other)[Math.floor(numbers.length / 2)]
const visits = []
await withService(
  (canopy) => canopy('demo'),
  async (service) => {
    for (let count = 0; count < 10; count += 1) visits.push(await visit(service))
  },
)

const of = (name) => visits.map((figures) => figures[name])
console.log(`largest paint     ${Math.round(median(of('painted')))} ms (median of 10, nothing cached), at most ${Math.round(Math.max(...of('painted')))} ms
rows in the page  ${Math.round(median(of('rows')))} ms, at most ${Math.round(Math.max(...of('rows')))} ms
transferred       ${Math.round(median(of('bytes')) / 1000)} KB beside the page itself
layout shift      ${Math.max(...of('shift'))}`)
