import { Area, type ListEnv, type Name, StoragePath, U64 } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import { anyOwner } from '../src/AreaStore.js'
import { lookUpNode } from '../src/nodeLookup.js'
import { searchArea } from '../src/walk.js'

/** Every directory is endless, in pages of 1,000 files. Each page repeats the last name of the one before. */
const endless = () => {
  const state = { pages: 0 }
  const list: ListEnv['list'] = (_area, _path, { after = '' } = {}) =>
    TE.fromIO(() => {
      state.pages += 1
      if (state.pages > 100) throw new Error('the directory is read without a bound')
      const first = after === '' ? 0 : Number(after)
      const entries = Array.from({ length: 1_001 }, (_, n) => ({
        type: 'file' as const,
        name: `${first + n}`.padStart(9, '0') as Name.Name,
        size: U64.zero,
        last_modified: U64.zero,
      }))
      return { entries, unlistable: 0, next: entries.at(-1)?.name }
    })
  return { state, storage: { list, nodeAt: () => TE.left({ error: 'file not found' } as const) } }
}

const area = { owner: anyOwner, location: Area.location('1') }

it('a search of an endless directory ends after 10,000 nodes, each visited once', async () => {
  const { state, storage } = endless()
  const visited: Array<string> = []
  const visit = (path: string) => visited.push(path) > 0
  expect(await searchArea({ storage, showProgress: () => 0 }, area, StoragePath.root, visit)).toBe(false)
  expect([visited.length, new Set(visited).size, state.pages]).toEqual([10_000, 10_000, 10])
})

it('the search for a similar name in an endless directory ends', async () => {
  const { state, storage } = endless()
  const account = { ...area, id: anyOwner, name: O.none, verified: true, isMountPoint: false, areaMade: false }
  const missing = O.getOrElse(() => StoragePath.root)(StoragePath.fromString('/missing'))
  expect(await lookUpNode(storage, account, missing)()).toEqual({ exists: false, lookAlike: undefined })
  expect(state.pages).toBe(10)
})
