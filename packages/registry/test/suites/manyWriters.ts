import { Settings } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { expect, it } from 'vitest'
import { openRegistryWriter } from '../../src/admin/RegistryWriter.js'
import { addRowsElsewhere } from '../addRowsElsewhere.js'
import type { Running } from '../engines.js'
import { opened, right } from '../right.js'

export const writersTakeTurns = (running: () => Running): void => {
  it('concurrent commands create a registry once and lose nothing', async () => {
    const url = await running().newUrl()
    await Promise.all([100, 200, 300, 400].map((first) => addRowsElsewhere(url, first, 10)))
    const expected = [100, 200, 300, 400].flatMap((first) => Array.from({ length: 10 }, (_, n) => `${first + n}`))
    const writer = await opened(openRegistryWriter(url))
    const accounts = await right(writer.accounts.all)
    expect(accounts.map(({ id, name }) => [`${id}`, name])).toEqual(expected.map((id) => [id, O.some(id)]))
    expect(await right(writer.triggers.all)).toMatchObject(expected.map((id) => E.right({ id })))
    for (const { id } of accounts) {
      expect(await right(writer.tokens.of(id))).toHaveLength(1)
      expect(Settings.size(await right(writer.settings.of(id)))).toBe(1)
    }
  })
}
