// The explorer in one Chromium, on real servers with a real data directory.
import { rmSync } from 'node:fs'
import { createServer, type Server, request as send } from 'node:http'
import { browsersToTest, listening } from '@canopy/test-support'
import { memoryPorts } from '@canopy/testkit'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { documentPage, webPages } from '../../server/src/webPages.js'
import { startApp } from '../../server/test/startApp.js'
import { seedData, startServer, temporaryData } from '../../server/test/startServer.js'
import { filesWorld } from './filesWorld.js'
import { seedMany, token, world } from './world.js'

export const tested = browsersToTest(process.env, 'The explorer')

/** The browser shares two cores with the servers. */
export const patienceMs = 60_000

const prefix = '/some/prefix'

const beginningBytes = 100_000

const proxyTo = (port: number): Server =>
  createServer((request, response) => {
    const { url = '', method, headers } = request
    if (!url.startsWith(`${prefix}/`)) return response.writeHead(404).end()
    const path = url.slice(prefix.length)
    const isWholeTree = path.includes('/tree/') && !path.includes('depth=')
    // A compressed body cannot be cut at a chosen size.
    const plain = isWholeTree ? { ...headers, 'accept-encoding': 'identity' } : headers
    return request.pipe(
      send({ port, path, method, headers: plain }, (answer) => {
        const { 'content-length': _, ...rest } = answer.headers
        response.writeHead(answer.statusCode ?? 502, isWholeTree ? rest : answer.headers)
        response.once('close', () => answer.destroy())
        if (!isWholeTree) return answer.pipe(response)
        let sent = 0
        return answer.on('data', (chunk: Buffer) => {
          response.write(chunk)
          sent += chunk.length
          if (sent > beginningBytes) answer.pause()
        })
      }),
    )
  })

const urlOf = (port: number): string => `http://127.0.0.1:${port}`

const reportViolations = (): void =>
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
    console.error(`Content Security Policy: ${violatedDirective} ${blockedURI}`)
  })

const start = async () => {
  const data = await temporaryData()
  await seedData(data, world)
  seedMany(data)
  const server = await startServer({ CANOPY_DATA: data })
  const withFiles = await startApp(memoryPorts(filesWorld), {
    pages: [documentPage, webPages(true, '')],
    files: { maxDownloads: 10 },
  })
  const proxy = proxyTo(server.port)
  const proxyPort = await listening(proxy)
  const browser: Browser = await chromium.launch(tested.chromium())
  const complaints: Array<string> = []
  const requests: Array<string> = []
  const contexts: Array<BrowserContext> = []
  const tab = async (address: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 720 }, ...options })
    contexts.push(context)
    await context.addInitScript(reportViolations)
    context.on('request', (request) => requests.push(request.url()))
    context.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) complaints.push(message.text())
    })
    context.on('weberror', (error) => complaints.push(String(error.error())))
    const page = await context.newPage()
    page.setDefaultTimeout(patienceMs)
    await page.goto(address.startsWith('http') ? address : `${urlOf(server.port)}${address}`)
    return page
  }
  return {
    url: urlOf(server.port),
    /** A service with the content of its files. */
    filesUrl: withFiles.url,
    /** The first service behind a proxy that strips a path prefix, and stalls whole trees after their beginning. */
    prefixedUrl: `${urlOf(proxyPort)}${prefix}`,
    /** Opens a tab with empty storage at an address below the URL. */
    tab,
    /** Closes all tabs, which would keep retrying failures. */
    closeTabs: () => Promise.all(contexts.splice(0).map((context) => context.close())),
    /** Policy violations and uncaught errors of all pages. */
    complaints,
    requests,
    close: async () => {
      await browser.close()
      proxy.close()
      await Promise.all([server.end(), withFiles.stop()])
      rmSync(data, { recursive: true })
    },
  }
}

/** Shared by all tests once `open` has resolved. */
export const opened = {} as Awaited<ReturnType<typeof start>>

export const open = async (): Promise<void> => {
  Object.assign(opened, await start())
}

export const rowsAt = async (address: string, options?: BrowserContextOptions): Promise<Page> => {
  const page = await opened.tab(address, options)
  await page.waitForSelector('.rows .row')
  return page
}

/** Opens a listing as the owner of account 1. */
export const ofOwner = (path: string, options?: BrowserContextOptions): Promise<Page> =>
  rowsAt(`/browse/files${path}#token=${token}`, options)

export const requestsSince = (from: number, what: RegExp) => opened.requests.slice(from).filter((url) => what.test(url))

export const phone = { viewport: { width: 400, height: 760 }, hasTouch: true }

export const names = (page: Page): Promise<ReadonlyArray<string | undefined>> =>
  page.$$eval('.rows .row', (rows) =>
    rows
      .sort((one, other) => Number(one.ariaRowIndex) - Number(other.ariaRowIndex))
      .map((row) => row.querySelector('.name')?.textContent ?? undefined),
  )

export const rowsOf = async (page: Page, expected: ReadonlyArray<string>): Promise<void> => {
  await expect.poll(() => names(page)).toEqual(expected)
}

export const tabOf = async (expected: ReadonlyArray<string>, address: string): Promise<Page> => {
  const page = await opened.tab(address)
  await rowsOf(page, expected)
  return page
}

export const pressKeys = async (page: Page, ...keys: ReadonlyArray<string>): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key)
}

/** Presses a key until the focused element has this text or label. */
export const pressUntil = async (page: Page, key: string, text: string): Promise<void> => {
  const focused = (): Promise<string> =>
    page.evaluate(() => {
      const element = document.activeElement
      return element?.getAttribute('aria-label') ?? element?.textContent ?? ''
    })
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press(key)
    if ((await focused()) === text) return
  }
  throw new Error(`no element with the text ${text} takes the focus`)
}

export const state = async (page: Page, name: string): Promise<string> => {
  await page.waitForSelector(`[data-state="${name}"]`)
  return page.innerText(`[data-state="${name}"]`)
}
