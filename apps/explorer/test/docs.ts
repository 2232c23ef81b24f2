import { expect, it } from 'vitest'
import { opened, requestsSince } from './opened.js'
import { token, trigger } from './world.js'

export const docs = (): void => {
  const operation = (id: string) => `.operation:has(#${id})`

  it('shows each operation once, by its title, with its command and responses', async () => {
    const page = await opened.tab('/docs/', { viewport: { width: 1440, height: 900 } })
    await page.waitForSelector('.operation')
    const shown = await page.$$eval('.operation:has(.target)', (all) =>
      all.map((each) => [each.querySelector('h3')?.id, each.querySelector('.target')?.textContent]),
    )
    const document = (await (await fetch(`${opened.url}/openapi.json`)).json()) as {
      readonly paths: Readonly<Record<string, { readonly get: { readonly operationId: string } }>>
    }
    const described = Object.entries(document.paths).map(([path, { get }]) => [get.operationId, `GET ${path}`])
    expect(shown).toHaveLength(described.length)
    expect(shown).toEqual(expect.arrayContaining(described))
    expect(await page.innerText(`${operation('userContentTree')} .curl`)).toBe(
      `curl '${opened.url}/api/usercontent/v1/tree/id/1/photos/2024'`,
    )
    expect(await page.locator('.beside .example').count()).toBeGreaterThan(described.length / 2)
    const titles = await page.locator('.operation:has(.target) h3').allInnerTexts()
    expect(await page.locator('.contents li a').allInnerTexts()).toEqual(titles)
    // A wide screen shows the examples beside the text.
    const text = await page.locator(`${operation('triggerPeek')} .about`).boundingBox()
    const beside = await page.locator(`${operation('triggerPeek')} .beside`).boundingBox()
    expect(beside?.x).toBeGreaterThan((text?.x ?? 0) + (text?.width ?? 0))
    const isWide = (all: ReadonlyArray<Element>) =>
      all.some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    expect(await page.$$eval('.text pre', isWide)).toBe(false)
  })

  it('tries an operation and updates its command while typing', async () => {
    const page = await opened.tab('/docs')
    const tree = operation('userContentTree')
    await page.fill(`${tree} [id$="-path"]`, 'photos/raw')
    await page.fill(`${tree} [id$="-depth"]`, '0')
    await expect.poll(() => page.innerText(`${tree} .curl`)).toContain("/tree/id/1/photos/raw?depth=0'")
    await page.click(`${tree} >> text=Send`)
    await expect.poll(() => page.innerText(`${tree} .response`)).toMatch(/200 OK [\d,]+ ms, \d+ B/)
    expect(JSON.parse(await page.innerText(`${tree} .body`))).toEqual({
      type: 'tree',
      content: { type: 'dir', name: 'raw', visibility: { inherited: true, visibility: 'public' } },
    })
    await page.fill(`${tree} [id$="-userid"]`, '99')
    await page.click(`${tree} >> text=Send`)
    await expect.poll(() => page.innerText(`${tree} .response`)).toContain('403')
    await expect.poll(() => page.innerText(`${tree} .body`)).toContain('permission denied')
  })

  it('sends a token or trigger id only to its own operation', async () => {
    const from = opened.requests.length
    const page = await opened.tab('/docs', { permissions: ['clipboard-read', 'clipboard-write'] })
    const listing = operation('storageDirItemsOfRoot')
    await page.fill(`${listing} [id$="-token"]`, token)
    expect(await page.innerText(`${listing} .curl`)).toBe(`curl '${opened.url}/api/storage/v1/diritems/••••••'`)
    await page.click(`${listing} [aria-label="Copy command"]`)
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(token)
    await page.click(`${listing} >> text=Send`)
    await expect.poll(() => page.innerText(`${listing} .body`)).toContain('"diary"')
    const peek = operation('triggerPeek')
    await page.fill(`${peek} [id$="-triggerid"]`, trigger)
    await page.click(`${peek} >> text=Send`)
    await expect.poll(() => page.innerText(`${peek} .body`)).toContain('"count": 18446744073709551615')
    expect(page.url()).toBe(`${opened.url}/docs`)
    expect(requestsSince(from, new RegExp(token))).toEqual([`${opened.url}/api/storage/v1/diritems/${token}`])
    expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))).not.toContain(token)
  })
}
