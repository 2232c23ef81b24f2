// Takes the screenshots in `docs` on the built server: npm run screenshots. With a directory, takes all states there.
import { mkdirSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { picture } from './picture.mjs'
import { withService } from './service.mjs'

const [directory] = process.argv.slice(2)
const pictures = directory ?? fileURLToPath(new URL('../../../docs/', import.meta.url))

const [kb, mb, gb] = [1e3, 1e6, 1e9]
const nest = Array.from({ length: 31 }, (_, index) => `level ${index + 1} of the nest`).join('/')
const wedding = 'photos/2023/Wedding of Anna & Tom'
const files = {
  'diary/monday.txt': 2 * kb,
  'diary/tuesday.txt': 3 * kb,
  'photos/2023/winter.zip': 800 * mb,
  [`${wedding}/IMG_701.jpg`]: 4 * mb,
  [`${wedding}/IMG_702.dng`]: 24 * mb,
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
  [`${nest}/the bottom.txt`]: 42,
}
const settings = [
  ['/photos', 'public'],
  ['/photos/2024/drafts', 'hidden'],
  ['/photos/2024/drafts/press', 'public'],
  ['/photos/2024/invoice.pdf', 'private'],
  ['/level 1 of the nest', 'public'],
]

/** A fixed date, so that the screenshots do not change. */
const changed = new Date('2024-11-05T12:00:00Z')

const fill = async (canopy, data) => {
  const area = join(data, 'files')
  const put = (name, content, size) => {
    const file = join(area, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    // Sparse: takes no disk space.
    if (size !== undefined) truncateSync(file, size)
    utimesSync(file, changed, changed)
    for (let above = dirname(file); above.startsWith(area); above = dirname(above)) utimesSync(above, changed, changed)
  }
  for (const [name, size] of Object.entries(files)) put(name, '', size)
  put('photos/2024/hills.bmp', picture())
  await canopy('account', 'create', '--id', '1', '--area', area, '--verified')
  for (const [path, visibility] of settings) await canopy('visibility', 'set', '1', path, visibility)
  return (await canopy('token', 'issue', '1')).token
}

/** Shows the whole map of sizes. */
const wide = { width: 1280, height: 752 }
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, deviceScaleFactor: 2 }
const small = { viewport: { width: 320, height: 256 } }
const owner = '/browse/files/photos/2024#token='

const showPanels = async (page) => {
  await page.click('text=Load 1 folder in between')
  await page.click('text=Show disk usage')
  await page.waitForSelector('.treemap li')
  await page.click('.treemap .unknown:has-text("raw") button')
  await page.waitForSelector('.treemap a:has-text("raw")')
  await page.click('.row:has-text("drafts") .cell-time')
  await page.mouse.move(0, 0)
}

/** The pictures of the docs. */
const shown = [
  { name: 'explorer-light', address: owner, options: { colorScheme: 'light', viewport: wide }, act: showPanels },
  { name: 'explorer-dark', address: owner, options: { colorScheme: 'dark', viewport: wide }, act: showPanels },
  {
    name: 'explorer-phone',
    address: owner,
    options: phone,
    act: (page) => page.tap('.row:has-text("drafts") .cell-visibility button'),
  },
  { name: 'explorer-file', address: '/browse/id/1/photos/2024/hills.bmp', act: (page) => page.waitForSelector('img') },
]

const deep = `/browse/id/1/${nest.split('/').map(encodeURIComponent).join('/')}`
const searchBelow = async (page) => {
  await page.fill('.filter input', 'img')
  await page.click('text=Search subfolders')
  await page.waitForSelector('.result')
}

/** States to look at. */
const states = [
  { name: 'heading', address: `/browse/id/1/${wedding.split('/').map(encodeURIComponent).join('/')}` },
  { name: 'phone', address: '/browse/id/1/photos/2024', options: phone },
  { name: 'phone-more', address: owner, options: phone, act: (page) => page.tap('.more') },
  { name: 'phone-deep', address: deep, options: phone },
  { name: 'reflow', address: '/browse/id/1/photos/2024', options: small },
  {
    name: 'reflow-scrolled',
    address: '/browse/id/1/photos/2024',
    options: small,
    act: (page) => page.mouse.wheel(0, 180),
  },
  { name: 'deep', address: deep },
  { name: 'locked', address: '/browse/id/1/diary' },
  {
    name: 'file-owner',
    address: '/browse/files/photos/2024/hills.bmp#token=',
    act: (page) => page.waitForSelector('img'),
  },
  { name: 'search', address: '/browse/id/1/photos', act: searchBelow },
  { name: 'forced-colours', address: owner, options: { forcedColors: 'active' }, act: showPanels },
  { name: 'docs', address: '/docs#storageTree', options: { viewport: { width: 1440, height: 900 } } },
]

await withService(fill, async ({ url, browser, filled: token }) => {
  for (const { name, address, options = {}, act = async () => {} } of directory === undefined
    ? shown
    : [...shown, ...states]) {
    const context = await browser.newContext({
      locale: 'en-GB',
      timezoneId: 'UTC',
      viewport: { width: 1280, height: 720 },
      reducedMotion: 'reduce',
      ...options,
    })
    const page = await context.newPage()
    await page.goto(`${url}${address.endsWith('=') ? address + token : address}`)
    await page.waitForLoadState('networkidle')
    await act(page)
    await page.waitForTimeout(300)
    await page.screenshot({ path: join(pictures, `${name}.png`) })
    await context.close()
    console.log(`${name}.png`)
  }
})
