import { expect, it } from 'vitest'
import { ofOwner, rowsAt } from './opened.js'
import { longName, photos, wholeNames } from './world.js'

/** The rows of `/photos` in the accessibility tree. */
const photosAsText = `
row "Name Visibility Size Modified Copy link"
row "Folder drafts hidden — 15 Apr 2024 Copy path Copy link"
row "Folder raw public — 15 Apr 2024 Copy path Copy link"
row "Image IMG_2.jpg public 4.2 MB 3 days ago Copy path Copy link"
row "Image IMG_10.jpg public 30 B 15 Apr 2024 Copy path Copy link"
row "Document invoice.pdf private 96 KB 15 Apr 2024 Copy path Copy link"`

export const namesTests = (): void => {
  it('has every name in one box of text, which can be found and selected', async () => {
    const page = await rowsAt('/browse/id/6/names')
    for (const name of wholeNames) {
      const found = await page.evaluate((text) => {
        getSelection()?.removeAllRanges()
        // What Ctrl+F does; TypeScript does not know it, because it is no standard.
        const isFound = (window as unknown as { find: (text: string) => boolean }).find(text)
        const range = getSelection()?.getRangeAt(0)
        return [isFound, getSelection()?.toString(), range?.startContainer === range?.endContainer]
      }, name)
      expect(found).toEqual([true, name, true])
      const link = page.getByRole('link', { name, exact: false }).last()
      expect(await link.textContent()).toBe(name)
    }
  })

  it('reads a listing as rows of whole names', async () => {
    const page = await ofOwner('/photos')
    const grid = await page.locator('[role=grid]').ariaSnapshot()
    const rows = grid.split('\n').flatMap((line) => /^ *- (row ".*"):$/.exec(line)?.[1] ?? [])
    expect(rows).toEqual(photosAsText.trim().split('\n'))
    for (const name of photos) expect(grid).toContain(`- text: ${name}\n`)
  })

  it('has an icon for raw photos', async () => {
    const page = await rowsAt(`/browse/id/6/${encodeURIComponent(longName)}`)
    expect(await page.locator('.row:has-text("second.dng") .icon.image').count()).toBe(1)
  })

  it('ignores case, accents and Turkish dots in the filter', async () => {
    const page = await rowsAt('/browse/id/6/names')
    await page.fill('.filter input', 'istanbul')
    await expect.poll(() => page.locator('.rows .name').allInnerTexts()).toEqual(['İSTANBUL.txt'])
  })
}
