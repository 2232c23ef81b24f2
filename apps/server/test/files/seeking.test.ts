import { browsersToTest, worldWith } from '@canopy/test-support'
import { memoryPorts, textFile } from '@canopy/testkit'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from '../inProcess.js'

const tested = browsersToTest(process.env, 'Seeking in a recording')

const dataBytes = 2 ** 24
const samplesPerSecond = 8_000
/** PCM, one channel of 8 bits. No byte of its head is above 127, so it is text too. */
const u32 = (value: number): string =>
  String.fromCharCode(...[0, 8, 16, 24].map((shift) => Math.floor(value / 2 ** shift) % 256))
const u16 = (value: number): string => u32(value).slice(0, 2)
const format = [u16(1), u16(1), u32(samplesPerSecond), u32(samplesPerSecond), u16(1), u16(8)].join('')
const head = `RIFF${u32(dataBytes + 36)}WAVEfmt ${u32(format.length)}${format}data${u32(dataBytes)}`
const recording = head + '\0'.repeat(dataBytes)

describe.each(tested.browsers)('a recording in %s', () => {
  let browser: Browser
  let service: Service

  beforeAll(async () => {
    service = await startService(memoryPorts(worldWith([textFile('a.wav', recording)])), {
      files: { maxDownloads: 10 },
    })
    browser = await chromium.launch(tested.chromium())
  })
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  it('plays from the middle on a page of another origin, by a range', async () => {
    const tab = await browser.newPage()
    const ranges: Array<string> = []
    tab.on('request', (request) => ranges.push(request.headers()['range'] ?? ''))
    await tab.setContent(`<video preload="metadata" src="http://127.0.0.1:${service.port}/files/id/1/a.wav"></video>`)
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
