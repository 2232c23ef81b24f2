import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seedRegistry } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openRegistryWriter } from '../src/admin/RegistryWriter.js'
import { opened } from './readme.js'
import { right } from './right.js'

const tokenOf = (letter: string): string => `cnp_${letter.repeat(42)}A`

describe('the example of the README', () => {
  let home = ''
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'canopy-readme-'))
  })
  afterEach(() => {
    rmSync(home, { recursive: true })
  })

  it('does what it says', async () => {
    const path = join(home, 'registry.db')
    const account = { id: '7', verified: true, settings: [], area: [] }
    const tokens = [{ token: tokenOf('r'), scope: '/photos', state: 'valid' as const }]
    const seeded = TE.bracket(
      openRegistryWriter({ engine: 'SQLite', path }),
      (writer) => seedRegistry(writer)({ accounts: [{ ...account, tokens }], triggers: [] }),
      (writer) => TE.fromTask(writer.close),
    )
    await right(seeded)
    expect(await opened(`sqlite:${path}`, tokenOf('r'))()).toEqual(E.right('user 7, from /photos'))
    expect(await opened(`sqlite:${path}`, tokenOf('s'))()).toEqual(E.left('invalid token'))
    expect(await opened(`sqlite:${path}`, 'cnp_x')()).toEqual(E.left('invalid token'))
    expect(await opened('mysql:x', tokenOf('r'))()).toEqual(
      E.left(expect.stringContaining('not the URL of a registry')),
    )
  })
})
