import { browsersToTest } from '@canopy/test-support'
import { memoryPorts } from '@canopy/testkit'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../../src/http/listen.js'
import { documentPage } from '../../src/openapi/pages.js'
import { webPages } from '../../src/webPages.js'
import { startApp } from '../startApp.js'
import { openApi } from './openApi.js'

const tested = browsersToTest(process.env, 'The page at /docs')

const world = {
  accounts: [
    {
      id: '1',
      verified: true,
      tokens: [],
      settings: [{ path: '/', visibility: 'public' }],
      area: [
        {
          type: 'dir',
          name: 'photos',
          last_modified: 1n,
          content: [{ type: 'dir', name: '2024', last_modified: 2n, content: [] }],
        },
      ],
    },
  ],
  triggers: [],
} as const

const operationIds = Object.values(openApi.paths).map(({ get }) => get.operationId)

/** A browser shares two cores with everything else. */
const patienceMs = 60_000

describe('the page at /docs', () => {
  let service: RunningServer

  beforeAll(async () => {
    service = await startApp(memoryPorts(world), { pages: [documentPage, webPages(false, '')] })
  })
  afterAll(() => service.stop())

  describe.each(tested.browsers)('in %s', { timeout: 2 * patienceMs }, () => {
    let browser: Browser
    let tab: Page
    const asked: Array<string> = []
    const complaints: Array<string> = []

    beforeAll(async () => {
      browser = await chromium.launch(tested.chromium())
      tab = await browser.newPage()
      tab.setDefaultTimeout(patienceMs)
      tab.on('request', (sent) => asked.push(sent.url()))
      tab.on('requestfailed', (sent) => complaints.push(`${sent.url()}: ${sent.failure()?.errorText}`))
      tab.on('pageerror', (error) => complaints.push(error.message))
      tab.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
      })
      await tab.goto(`${service.url}/docs`)
      await tab.waitForSelector('.operation')
    })
    afterAll(() => browser?.close())

    const elsewhere = () => asked.filter((url) => !url.startsWith(`${service.url}/`) && !url.startsWith('data:'))

    it('shows every operation, asks no other host, and the browser complains of nothing', async () => {
      const shown = await tab.$$eval('.operation:has(.target) h3', (headings) => headings.map(({ id }) => id))
      expect(shown).toHaveLength(operationIds.length)
      expect(new Set(shown)).toEqual(new Set(operationIds))
      // Its answers, with values and examples, are shown as well.
      const opened = await tab.$$eval('.operation:has(.target)', (operations) =>
        operations.map((operation) => operation.querySelector<HTMLElement>('summary')?.click()),
      )
      await tab.waitForFunction(
        (count) => document.querySelectorAll('.answers details[open] pre').length === count,
        opened.length,
      )
      expect(asked.length).toBeGreaterThan(4)
      expect([elsewhere(), complaints]).toEqual([[], []])
    })

    it('asks the service itself, at a path of several names', async () => {
      const tree = tab.locator('.operation:has(#userContentTree)')
      await tree.locator('button[type=submit]').click()
      const body = await tree.locator('.body').textContent()
      expect(JSON.parse(body ?? '')).toMatchObject({ type: 'tree', content: { type: 'dir', name: '2024' } })
      expect(asked.at(-1)).toBe(`${service.url}/api/usercontent/v1/tree/id/1/photos/2024`)
      expect([elsewhere(), complaints]).toEqual([[], []])
    })
  })
})
