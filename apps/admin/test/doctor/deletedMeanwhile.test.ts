import { tmpdir } from 'node:os'
import { Area, U64, type UserId } from '@canopy/domain'
import type { RegistryReader } from '@canopy/registry/admin'
import { fsStorage, StorageRoot } from '@canopy/storage-fs'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import { doctor } from '../../src/doctor/doctor.js'

it('an account that is deleted while it is looked at is no finding', async () => {
  const id = U64.clamp(1n) as UserId.UserId
  const gone = () => TE.left({ error: 'no such account', id } as const)
  const registry: RegistryReader = {
    accounts: {
      all: TE.right([
        {
          id,
          name: O.none,
          verified: true,
          location: Area.location('canopy-deleted-meanwhile'),
          isMountPoint: false,
          areaMade: false,
        },
      ]),
      find: gone,
    },
    tokens: { of: gone },
    settings: { of: gone },
    triggers: { all: TE.right([]) },
    place: 'nowhere',
    damage: TE.right([]),
    close: T.of(undefined),
  }
  const root = E.getOrElseW((problem: string): never => expect.fail(problem))(
    StorageRoot.fromText('/')(`file:${tmpdir()}`),
  )
  const lines: Array<string> = []
  const whenSlow = (line: string) => {
    lines.push(line)
    return <A>(task: T.Task<A>) => task
  }
  const told = await doctor({
    registry,
    root,
    data: '/nowhere',
    storage: fsStorage(root),
    now: () => U64.zero,
    whenSlow,
  })()
  expect(told).toEqual(
    E.right({ json: [], lines: ['Nothing needs attention. Accounts looked at: 1; triggers: 0.'], exit: 0 }),
  )
  // Also where that is all there is to say for minutes.
  expect(lines).toEqual([`still walking the area of account 1, ${tmpdir()}/canopy-deleted-meanwhile`])
})
