import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { decodeSettings } from '../../src/rows/SettingRow.js'

const wrong = (columns: string) =>
  E.left({
    error: 'external',
    cause: new Error(`the registry holds a value that Canopy does not write, in ${columns}`),
  })

describe('the settings of an area', () => {
  it('are every row', () => {
    const rows = [
      { path: '/', visibility: 'hidden' },
      { path: '/a/b', visibility: 'public' },
    ]
    expect(decodeSettings([])).toStrictEqual(E.right([]))
    expect(decodeSettings(rows)).toStrictEqual(E.right(rows))
  })

  it('are all of them or none: with a gap they would show what was hidden', () => {
    expect(
      decodeSettings([
        { path: '/', visibility: 'public' },
        { path: '/a', visibility: 'secret' },
      ]),
    ).toStrictEqual(wrong('settings.visibility'))
    expect(decodeSettings([{ path: 'a', visibility: 'public' }])).toStrictEqual(wrong('settings.path'))
  })
})
