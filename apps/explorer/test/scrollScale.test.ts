import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { elementHeight, maxElementHeight, offsetAfterScroll, scrollTopAt } from '../src/scrollScale.js'

const rowHeight = 36

/** Lists of up to 50 million rows, on screens of any density and zoom. */
const lists = fc
  .record({
    count: fc.integer({ min: 1, max: 50_000_000 }),
    view: fc.integer({ min: 200, max: 4000 }),
    density: fc.double({ min: 0.3, max: 20, noNaN: true }),
  })
  .map(({ count, view, density }) => ({ total: count * rowHeight, view, max: maxElementHeight(density) }))

const share = fc.double({ min: 0, max: 1, noNaN: true })

describe('the scrollbar of a list', () => {
  it('moves an element within the limits of browsers', () => {
    fc.assert(
      fc.property(lists, fc.double({ min: 0.3, max: 20, noNaN: true }), (list, density) => {
        const height = elementHeight({ ...list, max: maxElementHeight(density) })
        expect(height * density).toBeLessThan(2 ** 25)
        expect(height).toBeLessThan(17_895_697)
      }),
    )
  })

  it('reaches the first and the last row', () => {
    fc.assert(
      fc.property(lists, (list) => {
        const end = Math.max(0, elementHeight(list) - list.view)
        expect(offsetAfterScroll({ offset: 0, scrollTop: end }, 0, list)).toBe(0)
        const jumped = offsetAfterScroll({ offset: 0, scrollTop: -1e9 }, end, list)
        expect(jumped + list.view).toBeGreaterThanOrEqual(list.total - 0.001)
      }),
    )
  })

  it('scrolls by pixels over a short distance', () => {
    fc.assert(
      fc.property(lists, share, fc.integer({ min: -300, max: 300 }), (list, at, distance) => {
        const offset = at * Math.max(0, list.total - list.view)
        const scrollTop = scrollTopAt(offset, list)
        const moved = offsetAfterScroll({ offset, scrollTop }, scrollTop + distance, list)
        const expected = Math.max(0, Math.min(offset + distance, Math.max(0, list.total - list.view)))
        expect(Math.abs(moved - expected)).toBeLessThan(0.01)
      }),
    )
  })

  it('is the native one unless the list is too tall', () => {
    const list = { total: 100_000 * rowHeight, view: 600, max: maxElementHeight(1) }
    expect(elementHeight(list)).toBe(list.total)
    expect(offsetAfterScroll({ offset: 0, scrollTop: 0 }, 2_700_000, list)).toBe(2_700_000)
  })
})
