// Searches below a directory, on a service whose lines the test makes up.
import { once } from 'node:events'
import { createServer, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { opened, rowsAt, rowsOf } from './opened.js'
import { shownPhotos } from './world.js'

const line = (path: string, type: 'file' | 'dir' = 'file'): string =>
  `${JSON.stringify({ path, type, size: 42, last_modified: 1_713_182_580, visibility: { inherited: true, visibility: 'public' } })}\n`

/** Starts a proxy of the service that answers searches by lines. */
const startSearches = async (respond: (url: URL, response: ServerResponse) => void) => {
  const searched: Array<string> = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', opened.url)
    if (request.headers.accept === 'application/x-ndjson') {
      searched.push(`${url.pathname}${url.search}`)
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      return respond(url, response)
    }
    return request.pipe(
      send(url, { headers: request.headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      }),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const stop = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}`, searched, stop }
}

export const searches = (): void => {
  it('searches subfolders with the keyboard alone, and opens a result', async () => {
    const { url, searched, stop } = await startSearches((_, response) =>
      response.end(`${line('/photos/raw/deep/first.txt')}${line('/photos/raw', 'dir')}{"type":"end"}\n`),
    )
    const page = await rowsAt(`${url}/browse/id/1/photos`)
    for (const key of ['/', 'r']) await page.keyboard.press(key)
    await page.waitForSelector('.depth button')
    await page.focus('.depth button')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.innerText('.search-status')).toBe('2 results')
    expect(searched).toEqual(['/api/usercontent/v1/tree/id/1/photos?name=*r*'])
    expect(await page.innerText('.result >> nth=0')).toMatch(/first\.txt\s+\/raw\/deep\s+42 B\s+15 Apr 2024/)
    await page.focus('.result a >> nth=0')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.card')
    expect(page.url()).toBe(`${url}/browse/id/1/photos/raw/deep/first.txt`)
    await page.goBack()
    await expect.poll(() => page.innerText('.search-status')).toBe('2 results')
    await page.click('text=Search this folder only')
    await page.fill('.filter input', '')
    await rowsOf(page, shownPhotos)
    stop()
  })

  it('shows results as they come, and can be cancelled', async () => {
    const { url, stop } = await startSearches((_, response) => response.write(line('/photos/raw/one.txt')))
    const page = await rowsAt(`${url}/browse/id/1/photos`)
    await page.fill('.filter input', 'one')
    await page.click('text=Search subfolders')
    await expect.poll(() => page.innerText('.search-status')).toContain('1 found so far')
    const ending = page.waitForEvent('requestfailed')
    await page.click('.search-status >> text=Cancel')
    expect((await ending).url()).toContain('/tree/')
    await expect.poll(() => page.innerText('.search-status')).toBe('Cancelled: 1 result')
    stop()
  })

  it('stops after the first 1,000 results', async () => {
    const { url, stop } = await startSearches((_, response) =>
      response.end(
        `${Array.from({ length: 1500 }, (_, index) => line(`/photos/${index}.txt`)).join('')}{"type":"end"}\n`,
      ),
    )
    const page = await rowsAt(`${url}/browse/id/1/photos`)
    await page.fill('.filter input', 'txt')
    await page.click('text=Search subfolders')
    await expect.poll(() => page.innerText('.search-status')).toContain('The first 1,000 results')
    expect(await page.locator('.result').count()).toBe(1000)
    stop()
  })
}
