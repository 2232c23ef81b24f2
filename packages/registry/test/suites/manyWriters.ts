import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Settings } from '@canopy/domain'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import { expect, it } from 'vitest'
import { openRegistryWriter } from '../../src/admin/RegistryWriter.js'
import { toText } from '../../src/RegistryUrl.js'
import type { Running } from '../engines.js'
import { opened, right } from '../right.js'

const here = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))
const run = promisify(execFile)

/** The first id of each writer. */
const writers = [100, 200, 300, 400]
const rows = 10

export const writersTakeTurns = (running: () => Running): void => {
  it('concurrent commands lose nothing', async () => {
    // The other processes run the build.
    expect(existsSync(here('../dist/admin/index.js')), 'build first: npm test does').toBe(true)
    const url = await running().newRegistry()
    await Promise.all(
      writers.map((first) => run(process.execPath, [here('addRows.mjs'), toText(url), `${first}`, `${rows}`])),
    )
    const expected = writers.flatMap((first) => Array.from({ length: rows }, (_, n) => `${first + n}`))
    const writer = await opened(openRegistryWriter(url))
    const accounts = await right(writer.accounts.all)
    expect(accounts.map(({ id }) => `${id}`)).toEqual(expected)
    expect(accounts.map(({ name }) => ('value' in name ? name.value : ''))).toEqual(expected)
    expect(RA.rights(await right(writer.triggers.all)).map(({ id }) => id)).toEqual(expected)
    for (const { id } of accounts) {
      expect(await right(writer.tokens.of(id))).toHaveLength(1)
      expect(Settings.size(await right(writer.settings.of(id)))).toBe(1)
    }
  })
}
