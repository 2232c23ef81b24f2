import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { memoryPorts } from '@canopy/testkit'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Listening } from '../../src/connection/listen.js'
import { documentText } from '../../src/openapi/document.js'
import { startApp } from '../startApp.js'
import { browsers, openBrowser } from './chromium.js'
import { openApi, operationsOf } from './openApi.js'

const value = '{"type":"bell","digits":18446744073709551615}'
const world = { accounts: [], triggers: [{ id: 'doorbell', value, state: 'valid' }] } as const

const operationIds = Object.values(openApi.paths).flatMap((item) =>
  operationsOf(item).map(({ operationId }) => operationId),
)

/** Of the document, those that a number would round. */
const longIntegers = documentText.match(/(?<=[:[,])\d{16,}(?=[\]},])/g) ?? []

/** A browser shares two cores with everything else. */
const patienceMs = 60_000

/** None where no browser is installed, and a file of tests must have some: the page's other tests take these in. */
export const docsInBrowsers = (): void =>
  describe.each(browsers)('the page at /docs in %s', { timeout: 2 * patienceMs }, () => {
    let browser: Browser
    let service: Listening
    let tab: Page
    const asked: Array<string> = []
    const complaints: Array<string> = []

    beforeAll(async () => {
      browser = await openBrowser()
      service = await startApp(memoryPorts(world))
    })
    beforeEach(async () => {
      asked.length = 0
      complaints.length = 0
      tab = await browser.newPage()
      tab.setDefaultTimeout(patienceMs)
      tab.on('request', (request) => asked.push(request.url()))
      tab.on('requestfailed', (request) => complaints.push(`${request.url()}: ${request.failure()?.errorText}`))
      tab.on('pageerror', (error) => complaints.push(error.message))
      tab.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
      })
      await tab.goto(`${service.url}/docs`)
      await tab.waitForSelector('.opblock')
    })
    afterEach(() => tab.close())
    afterAll(async () => {
      await browser?.close()
      await service?.stop()
    })

    const elsewhere = () => asked.filter((url) => !url.startsWith(`${service.url}/`) && !url.startsWith('data:'))

    it('shows every operation, asks no other host, and nothing is complained about', async () => {
      const shown = await tab.$$eval('.opblock', (blocks) => blocks.map(({ id }) => id.split('-').at(-1)))
      expect(shown.length).toBe(operationIds.length)
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
      expect(elsewhere()).toEqual([])
      expect(complaints).toEqual([])
    })

    it('asks the service itself, and shows its answer to the last digit', async () => {
      const peek = await tab.waitForSelector('[id$="-triggerPeek"]')
      await (await peek.waitForSelector('.opblock-summary-control')).click()
      await (await peek.waitForSelector('.try-out__btn')).click()
      await (await peek.waitForSelector('.execute')).click()
      const body = await (
        await peek.waitForSelector('.live-responses-table .response-col_description pre')
      ).textContent()
      expect(body?.replaceAll(/\s/g, '')).toContain(`"value":${value}`)
      expect(asked).toContain(`${service.url}/api/triggers/v1/peek/doorbell`)
      expect([elsewhere(), complaints]).toEqual([[], []])
    })

    it('shows every integer of the document to its last digit', async () => {
      for (const id of ['storageTree', 'storageDirItems', 'triggerPeek']) {
        const operation = await tab.waitForSelector(`[id$="-${id}"]`)
        await (await operation.waitForSelector('.opblock-summary-control')).click()
        await operation.waitForSelector('.response[data-code="200"] .example')
        const choice = await operation.waitForSelector('.response[data-code="200"] .examples-select-element')
        await choice.selectOption({ index: (await choice.$$('option')).length - 1 })
      }
      const shown = () =>
        tab.$$eval('.example, .json-schema-2020-12__constraint', (parts) =>
          parts.flatMap(({ textContent }) => textContent?.match(/\d{16,}/g) ?? []),
        )
      // Two in the tree, four in the listing, one in the trigger, and the bound.
      await expect.poll(async () => (await shown()).length, { timeout: patienceMs }).toBe(8)
      expect(new Set(await shown())).toEqual(new Set(longIntegers))
      expect(complaints).toEqual([])
    })

    it('shows in a table what is answered to every other path and method', async () => {
      const rows = await tab.$$eval('.information-container tbody tr', (all) => all.map((row) => row.textContent))
      expect(rows).toEqual([
        expect.stringMatching(/any other path.*404 no such route/s),
        expect.stringMatching(/an operation, .*GET, HEAD, OPTIONS.*405 method not allowed/s),
        expect.stringMatching(/a probe, .*GET, HEAD\d.*405 method not allowed/s),
      ])
    })

    it('may ask no other host, whatever runs in it', async () => {
      const heard: Array<string> = []
      const other: Server = createServer((request, response) => {
        heard.push(request.url ?? '')
        response.setHeader('Access-Control-Allow-Origin', '*').end()
      })
      await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening))
      const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`
      expect(
        await tab.evaluate(
          (to) =>
            fetch(to).then(
              () => 'answered',
              () => 'refused',
            ),
          url,
        ),
      ).toBe('refused')
      expect(complaints.join('\n')).toContain('Content Security Policy')
      expect(heard).toEqual([])
      other.close()
    })
  })
