import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { names, opened, phone, rowsAt, rowsOf } from './opened.js'
import { deepDirectories, deepScopedToken, deepToken, scopedToken } from './world.js'

/** The chain as text, with `>` before the deciding node. */
const chain = async (page: Page): Promise<string> =>
  (
    await page.$$eval('.chain li', (links) =>
      links.map((link) =>
        [
          link.classList.contains('decides') ? '>' : '-',
          ...[...link.querySelectorAll(':scope > :not(.dot)')].map(({ textContent }) => textContent),
        ].join(' '),
      ),
    )
  ).join(' | ')

/** Loads the ancestors that a link into the depth leaves out. */
const loadChain = async (page: Page): Promise<void> => {
  const button = page.locator('.not-loaded button')
  if ((await button.count()) === 0) return
  await button.click()
  await button.waitFor({ state: 'detached' })
}

export const why = (): void => {
  const ofOwner = async (path: string, options = {}) => {
    const page = await opened.tab(`/browse/files${path}#token=${deepToken}`, options)
    await page.waitForSelector('.why .chain')
    await loadChain(page)
    return page
  }

  const own = 'set here or by a rule'

  it.each([
    ['/open/secret', 'press', `- secret hidden | > press public, ${own}`, 'can open its folder'],
    ['/open/secret', 'surprise.txt', `- secret hidden | > surprise.txt hidden, ${own}`, 'but it isn’t listed'],
    ['/open/closed', 'way', `- closed private | > way public, ${own}`, 'know the path'],
    ['', 'locked', '> / private | - locked from /', 'Only the owner'],
  ])('names the deciding setting and the access of visitors: %s, %s', async (path, name, links, sentence) => {
    const page = await ofOwner(path)
    await page.click(`.row:has-text("${name}") .cell-time`)
    await expect.poll(() => page.innerText('.why h2')).toBe(name)
    expect(await chain(page)).toBe(path === '' ? links : `- / private | - open public | ${links}`)
    expect(await page.innerText('.why .access')).toContain(sentence)
  })

  it('explains the directory itself without a selection', async () => {
    const page = await ofOwner('/open/secret')
    expect(await chain(page)).toBe('- / private | - open public | > secret hidden, set here or by a rule')
    await expect.poll(() => page.innerText('.why .facts')).toMatch(/Folder.*Items\s*3/s)
  })

  it('a scoped token does not reveal settings above its scope', async () => {
    const page = await opened.tab(`/browse/files/photos#token=${scopedToken}`)
    await page.waitForSelector('.why .chain')
    expect(await chain(page)).toBe(
      '> Set on a folder your token doesn’t cover | - / not covered by this token | - photos public',
    )
    const other = await opened.tab(`/browse/files/open/secret#token=${deepScopedToken}`)
    await other.waitForSelector('.why .chain')
    await loadChain(other)
    expect(await chain(other)).toBe(
      '- / not covered by this token | - open not covered by this token | > secret hidden, set here or by a rule',
    )
    await expect.poll(() => other.innerText('.why .access')).toContain('depends on its parent folders')
  })

  it('"Visitor" equals the service for a visitor in every directory', async () => {
    const page = await ofOwner('')
    for (const path of deepDirectories) {
      const answer = await fetch(`${opened.url}/api/usercontent/v1/diritems/id/5${path}`)
      const { content, error } = (await answer.json()) as {
        readonly content?: ReadonlyArray<{ readonly name: string }>
        readonly error?: string
      }
      await page.goto(`${opened.url}/browse/files${path}?as=visitor`)
      await page.waitForSelector('.listing, [data-state]')
      const shown = (await page.locator('[data-state=closed]').count()) > 0 ? 'permission denied' : await names(page)
      expect([path, shown]).toEqual([path, content?.map(({ name }) => name) ?? error])
    }
  })

  it('"Visitor" filters the outline and counts hidden entries, until "Owner"', async () => {
    const page = await ofOwner('/open/secret')
    await page.click('text="Visitor"')
    await expect.poll(() => page.innerText('footer')).toContain('Visitors see 2 of 3')
    await page.click('.switch >> text=Owner')
    await rowsOf(page, ['inner', 'press', 'surprise.txt'])
    await page.goto(`${opened.url}/browse/files/open?as=visitor`)
    await expect.poll(() => page.locator('[role=treeitem] .name').allInnerTexts()).toEqual(['Your files', 'open'])
  })

  it('is a sheet on a phone, like the outline, which closes after a link', async () => {
    const page = await rowsAt(`/browse/files/open/secret#token=${deepToken}`, phone)
    expect(await page.locator('.chain, [role=tree]').count()).toBe(0)
    await page.tap('.row:has-text("surprise") .cell-visibility button')
    await page.waitForSelector('dialog .chain')
    await expect.poll(() => page.innerText('dialog h2')).toBe('surprise.txt')
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog', { state: 'detached' })
    await page.tap('.fold[aria-label="Folders"]')
    await page.tap('dialog [role=treeitem] >> text=press')
    await rowsOf(page, ['release.txt'])
    expect(await page.locator('dialog').count()).toBe(0)
  })
}
