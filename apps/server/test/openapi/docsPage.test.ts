import { browsersToTest } from '@canopy/test-support'
import { memoryPorts, request } from '@canopy/testkit'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../../src/http/listen.js'
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
    service = await startApp(memoryPorts(world))
  })
  afterAll(() => service.stop())

  it('has no script or style inside, and asks only for files that are served, relative to itself', async () => {
    const served = (target: string) => request(service.port, { method: 'GET', target })
    const html = (await served('/docs')).body.toString()
    expect(html).not.toMatch(/<style|style=|\son\w+=|javascript:|<script>/)
    const addresses = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address = '']) => address)
    expect(addresses.length).toBeGreaterThan(3)
    for (const address of addresses) {
      const { pathname } = new URL(address, 'http://localhost/prefix/docs')
      const { status } = await served(pathname.replace(/^\/prefix/, ''))
      expect([address, status]).toEqual([address, 200])
    }
  })

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
      await tab.waitForSelector('.opblock')
    })
    afterAll(() => browser?.close())

    const elsewhere = () => asked.filter((url) => !url.startsWith(`${service.url}/`) && !url.startsWith('data:'))

    it('shows every operation, asks no other host, and the browser complains of nothing', async () => {
      const shown = await tab.$$eval('.opblock', (blocks) => blocks.map(({ id }) => id.split('-').at(-1)))
      expect(shown).toHaveLength(operationIds.length)
      expect(new Set(shown)).toEqual(new Set(operationIds))
      // One of each tag, opened: its parameters, answers, schemas and examples are shown as well.
      const opened = await tab.$$eval('.opblock-tag-section', (sections) => {
        for (const section of sections) section.querySelector<HTMLElement>('.opblock-summary-control')?.click()
        return sections.length
      })
      expect(opened).toBe(openApi.tags.length)
      await tab.waitForFunction(
        (count) => document.querySelectorAll('.opblock.is-open .responses-table').length === count,
        opened,
      )
      expect(asked.length).toBeGreaterThan(4)
      expect([elsewhere(), complaints]).toEqual([[], []])
    })

    it('asks the service itself, at a path of several names', async () => {
      const tree = await tab.waitForSelector('[id$="-userContentTree"]')
      await (await tree.waitForSelector('.opblock-summary-control')).click()
      await (await tree.waitForSelector('.try-out__btn')).click()
      await (await tree.waitForSelector('.execute')).click()
      const body = await (
        await tree.waitForSelector('.live-responses-table .response-col_description pre')
      ).textContent()
      expect(JSON.parse(body ?? '')).toMatchObject({ type: 'tree', content: { type: 'dir', name: '2024' } })
      expect(asked.at(-1)).toBe(`${service.url}/api/usercontent/v1/tree/id/1/photos%2F2024`)
      expect([elsewhere(), complaints]).toEqual([[], []])
    })
  })
})
