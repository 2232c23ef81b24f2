// Takes the screenshots in `docs` on the built server: npm run screenshots
import { mkdirSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withService } from './service.mjs'

const pictures = process.argv[2] ?? fileURLToPath(new URL('../../../docs/', import.meta.url))

const [kb, mb, gb] = [1e3, 1e6, 1e9]
const files = {
  'diary/monday.txt': 2 * kb,
  'diary/tuesday.txt': 3 * kb,
  'photos/2023/winter.zip': 800 * mb,
  'photos/2024/beach at dawn.jpg': 240 * mb,
  'photos/2024/café naïve.png': 812 * kb,
  'photos/2024/drafts/first.psd': 190 * mb,
  'photos/2024/drafts/press/cover.jpg': 4 * mb,
  'photos/2024/IMG_0001.heic': 280 * mb,
  'photos/2024/IMG_0002.heic': 310 * mb,
  'photos/2024/IMG_0003.heic': 190 * mb,
  'photos/2024/backup.tar': 420 * mb,
  'photos/2024/invoice.pdf': 96 * kb,
  'photos/2024/notes\nsecond line.txt': 1.1 * kb,
  'photos/2024/raw/DSC_1.raf': 1.2 * gb,
  'photos/2024/raw/DSC_2.raf': 0.9 * gb,
  'shared/minutes.md': 4 * kb,
}
const settings = [
  ['/photos', 'public'],
  ['/photos/2024/drafts', 'hidden'],
  ['/photos/2024/drafts/press', 'public'],
  ['/photos/2024/invoice.pdf', 'private'],
]

/** A fixed date, so that the screenshots do not change. */
const changed = new Date('2024-11-05T12:00:00Z')

const fill = async (canopy, data) => {
  const area = join(data, 'files')
  for (const [name, size] of Object.entries(files)) {
    const file = join(area, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, '')
    // Sparse: takes no disk space.
    truncateSync(file, size)
    utimesSync(file, changed, changed)
    for (let above = dirname(file); above.startsWith(area); above = dirname(above)) utimesSync(above, changed, changed)
  }
  await canopy('account', 'create', '--id', '1', '--area', area, '--verified')
  for (const [path, visibility] of settings) await canopy('visibility', 'set', '1', path, visibility)
  return (await canopy('token', 'issue', '1')).token
}

const take = async (page, name) => {
  await page.screenshot({ path: join(pictures, `${name}.png`) })
  await page.context().close()
  console.log(`${name}.png`)
}

await withService(fill, async ({ url, browser, filled: token }) => {
  const tab = async (address, options) => {
    const context = await browser.newContext({
      locale: 'en-GB',
      timezoneId: 'UTC',
      viewport: { width: 1280, height: 720 },
      reducedMotion: 'reduce',
      ...options,
    })
    const page = await context.newPage()
    await page.goto(`${url}${address}`)
    return page
  }
  for (const colorScheme of ['light', 'dark']) {
    const page = await tab(`/browse/files/photos/2024#token=${token}`, { colorScheme })
    await page.click('text=Show a map of sizes')
    await page.waitForSelector('.treemap li')
    await page.click('.treemap .unknown:has-text("raw") button')
    await page.waitForSelector('.treemap a:has-text("raw")')
    await page.click('.row:has-text("drafts") .cell-time')
    await page.mouse.move(0, 0)
    await page.waitForTimeout(300)
    await take(page, `explorer-${colorScheme}`)
  }
  const phone = await tab(`/browse/files/photos/2024#token=${token}`, {
    viewport: { width: 400, height: 760 },
    hasTouch: true,
    deviceScaleFactor: 2,
  })
  await phone.tap('.row:has-text("drafts") .cell-visibility button')
  await phone.waitForSelector('dialog .chain')
  await phone.waitForTimeout(300)
  await take(phone, 'explorer-phone')
})
