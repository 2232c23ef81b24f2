import { mkdirSync, renameSync, rmdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AreaRoot, areaRoots, storageReachable } from '../src/areas.js'
import type { StorageRoot } from '../src/StorageRoot.js'
import { asNobody } from './asNobody.js'
import { inArea } from './temporaryArea.js'

const identity = O.map((root: AreaRoot) => root.identity)
const modified = O.map(({ node }: AreaRoot) => node.last_modified)

describe('what stands at the root of an area', () => {
  it('is the same value for as long as it tells the same', () =>
    inArea([], async ({ root, area, directory }) => {
      const rootOf = areaRoots(root)
      utimesSync(directory, 1_000, 1_000)
      const first = rootOf(area)
      expect(modified(first)).toEqual(O.some(1_000n))
      expect(rootOf(area)).toBe(first)
    }))

  it('is told anew when it was modified, of the same identity', () =>
    inArea([], async ({ root, area, directory }) => {
      const rootOf = areaRoots(root)
      const before = rootOf(area)
      utimesSync(directory, 2_000, 2_000)
      const after = rootOf(area)
      expect(modified(after)).toEqual(O.some(2_000n))
      expect(identity(after)).toEqual(identity(before))
    }))

  it('has another identity when another directory takes its place, however alike', () =>
    inArea([], async ({ root, area, directory }) => {
      const rootOf = areaRoots(root)
      utimesSync(directory, 1_000, 1_000)
      const before = rootOf(area)
      mkdirSync(`${directory}-other`)
      utimesSync(`${directory}-other`, 1_000, 1_000)
      renameSync(directory, `${directory}-away`)
      renameSync(`${directory}-other`, directory)
      const after = rootOf(area)
      rmSync(`${directory}-away`, { recursive: true })
      expect(O.isSome(after)).toBe(true)
      expect(identity(after)).not.toEqual(identity(before))
    }))

  it('is nothing while there is no directory, and something as soon as there is', () =>
    inArea([], async ({ root, area, directory }) => {
      const rootOf = areaRoots(root)
      expect(O.isSome(rootOf(area))).toBe(true)
      rmdirSync(directory)
      expect(rootOf(area)).toEqual(O.none)
      writeFileSync(directory, '')
      expect(rootOf(area)).toEqual(O.none)
      rmSync(directory)
      symlinkSync('nowhere', directory)
      expect(rootOf(area)).toEqual(O.none)
      rmSync(directory)
      mkdirSync(directory)
      expect(O.isSome(rootOf(area))).toBe(true)
    }))
})

const codeOf = async (root: string): Promise<unknown> => {
  const answer = await storageReachable(root as StorageRoot)()
  return E.isRight(answer) ? 'reachable' : (answer.left.cause as NodeJS.ErrnoException).code
}

describe('the root of the storage', () => {
  let root = ''
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'canopy-root-'))
  })
  afterEach(() => rm(root, { recursive: true }))

  it('is reachable while it is a directory', async () => {
    expect(await codeOf(root)).toBe('reachable')
  })

  it('is not when it is missing or a file', async () => {
    await writeFile(join(root, 'file'), '')
    expect(await codeOf(join(root, 'missing'))).toBe('ENOENT')
    expect(await codeOf(join(root, 'file'))).toBe('ENOTDIR')
  })

  it('is not when it may not be entered', async () => {
    await chmod(root, 0o600)
    expect(await asNobody(() => codeOf(root))).toBe('EACCES')
    await chmod(root, 0o700)
  })
})
