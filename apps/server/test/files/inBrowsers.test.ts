import { browsersToTest, worldWith } from '@canopy/test-support'
import { memoryPorts, textFile } from '@canopy/testkit'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { documentPage, webPages } from '../../src/webPages.js'
import { serviceOfFile } from '../inProcess.js'

const tested = browsersToTest(process.env, 'Content of files')

/** Reports that it runs, reads the storage of the tab, and frames the page. */
const script = `
  document.title = 'ran'
  fetch('/ran?' + encodeURIComponent(sessionStorage.getItem('canopy')))
  document.body?.append(Object.assign(document.createElement('iframe'), { src: '/' }))`

const html = `<!doctype html><body><script>${script}</script><iframe src="/ran-frame"></iframe>`
const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="fetch('/ran')"><script>${script}</script></svg>`
const xml = `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="a.xsl"?><a/>`
const xsl = `<?xml version="1.0"?><xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><html xmlns="http://www.w3.org/1999/xhtml"><body><script>${script}</script></body></html></xsl:template></xsl:stylesheet>`
const pdf = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.launchURL\\('/ran'\\))>>>>endobj
2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj
trailer<</Root 1 0 R>>`
/** An image, a script and a page. */
const polyglot = `GIF89a=0;/*${html}*/${script}`

const dataBytes = 2 ** 24
const samplesPerSecond = 8_000
const u32 = (value: number): string =>
  String.fromCharCode(...[0, 8, 16, 24].map((shift) => Math.floor(value / 2 ** shift) % 256))
const u16 = (value: number): string => u32(value).slice(0, 2)
/** PCM with one channel of 8 bits. No byte of its head is above 127, so it is text too. */
const format = [u16(1), u16(1), u32(samplesPerSecond), u32(samplesPerSecond), u16(1), u16(8)].join('')
const head = `RIFF${u32(dataBytes + 36)}WAVEfmt ${u32(format.length)}${format}data${u32(dataBytes)}`
const recording = textFile('recording.wav', head + '\0'.repeat(dataBytes))

const files: Readonly<Record<string, string>> = {
  'a.html': html,
  'a.xhtml': `<html xmlns="http://www.w3.org/1999/xhtml"><body><script>${script}</script></body></html>`,
  'a.svg': svg,
  'a.xml': xml,
  'a.xsl': xsl,
  'a.pdf': pdf,
  'a.gif': polyglot,
  'a.jpg': html,
  'a.txt': html,
  'a.js': script,
  'a.mp4': html,
  a: html,
}

describe.each(tested.browsers)('files in %s', () => {
  const world = worldWith([recording, ...Object.entries(files).map(([name, text]) => textFile(name, text))])
  const pages = [documentPage, webPages(true, '')]
  const service = serviceOfFile(memoryPorts(world), { files: { maxDownloads: 100 }, pages })
  let browser: Browser
  let origin = ''

  beforeAll(async () => {
    origin = `http://127.0.0.1:${service.port}`
    browser = await chromium.launch(tested.chromium())
  })
  afterAll(() => browser?.close())

  /** A tab with the explorer and a secret, and the requests that hostile content makes. */
  const openTab = async () => {
    const tab = await browser.newPage()
    onTestFinished(() => tab.close())
    const ran: Array<string> = []
    tab.on('request', (request) => {
      if (request.url().includes('/ran')) ran.push(request.url())
    })
    await tab.goto(`${origin}/`)
    await tab.evaluate(() => sessionStorage.setItem('canopy', 'SECRET'))
    return { tab, ran }
  }

  const visit = (tab: Page, address: string) =>
    tab.goto(address, { waitUntil: 'load' }).then(
      () => 'shown',
      () => 'saved',
    )

  it('a script on a trusted page is detected', async () => {
    const { tab, ran } = await openTab()
    await tab.route('**/trusted', (route) => route.fulfill({ contentType: 'text/html', body: html }))
    await visit(tab, `${origin}/trusted`)
    await expect.poll(() => ran).toContain(`${origin}/ran?SECRET`)
    expect(await tab.title()).toBe('ran')
  })

  it.each(Object.keys(files))('%s runs no script, reads no storage and frames no page', async (name) => {
    const { tab, ran } = await openTab()
    const way = await visit(tab, `${origin}/files/id/1/${name}`)
    expect(way).toBe(/\.(gif|jpg|txt|js|mp4)$/.test(name) ? 'shown' : 'saved')
    // A file that is saved leaves the page of the explorer in the tab.
    expect(await tab.evaluate(() => self.origin)).toBe(way === 'shown' ? 'null' : origin)
    expect([(await tab.title()) === 'ran', ran]).toEqual([false, []])
    expect(tab.frames().filter((frame) => frame.url() === `${origin}/`)).toHaveLength(way === 'shown' ? 0 : 1)
  })

  it('the page cannot load a file as a script, a style or a worker', async () => {
    const { tab, ran } = await openTab()
    const loaded = await tab.evaluate(async (names) => {
      const load = (element: HTMLElement): Promise<string> =>
        new Promise((resolve) => {
          element.addEventListener('load', () => resolve('loaded'))
          element.addEventListener('error', () => resolve('refused'))
          document.head.append(element)
        })
      const outcomes: Array<string> = []
      for (const name of names) {
        const address = `/files/id/1/${name}`
        outcomes.push(
          await load(Object.assign(document.createElement('script'), { src: address })),
          await load(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: address })),
          await navigator.serviceWorker.register(address).then(
            () => 'loaded',
            () => 'refused',
          ),
        )
      }
      return outcomes
    }, Object.keys(files))
    expect(new Set(loaded)).toEqual(new Set(['refused']))
    expect([(await tab.title()) === 'ran', ran]).toEqual([false, []])
  })

  it('a recording plays from the middle on a page of another origin, by a range', async () => {
    const tab = await browser.newPage()
    const ranges: Array<string> = []
    tab.on('request', (request) => ranges.push(request.headers()['range'] ?? ''))
    await tab.setContent(`<video preload="metadata" src="${origin}/files/id/1/recording.wav"></video>`)
    const [duration, at] = await tab.evaluate(async () => {
      const video = document.querySelector('video')
      if (video === null) throw new Error('no video')
      const event = (name: string) => new Promise((resolve) => video.addEventListener(name, resolve, { once: true }))
      if (video.readyState < 1) await event('loadedmetadata')
      const seeked = event('seeked')
      video.currentTime = 2_000
      await seeked
      return [video.duration, video.currentTime]
    })
    expect([Math.floor(duration ?? 0), at]).toEqual([Math.floor(dataBytes / samplesPerSecond), 2_000])
    const starts = ranges.map((range) => Number(/^bytes=(\d+)-/.exec(range)?.[1] ?? 0))
    expect(Math.max(...starts)).toBeGreaterThan(dataBytes / 2)
  })
})
