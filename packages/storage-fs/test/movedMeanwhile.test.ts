import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { fsStorage } from '../src/fsStorage.js'
import { type HoldNode, holdByDescriptor } from '../src/holdNode.js'
import { areaAt, at, dir, file, inArea, type TemporaryArea } from './temporaryArea.js'

/** Something happens each time when a node is held, and before it is read. */
const holdAndThen =
  (happens: (holds: number) => void): HoldNode =>
  (directory, path) => {
    const held = holdByDescriptor(directory, path)
    holds += 1
    happens(holds)
    return held
  }
let holds = 0

const namesIn = async ({ root }: TemporaryArea, happens: (holds: number) => void, path = '/d') => {
  holds = 0
  const listing = await fsStorage(root, { hold: holdAndThen(happens) }).list(areaAt('area'), at(path))()
  return E.isRight(listing) ? Array.from(listing.right.entries, ({ name }) => name) : listing.left.error
}

describe('a directory that is moved while it is read', () => {
  const area = [dir('d', file('f')), dir('secret')]

  it('is told as what stands at its path then, and never what is made in it elsewhere', () =>
    inArea(area, async (planted) => {
      const { directory } = planted
      const names = await namesIn(planted, (time) => {
        if (time > 1) return
        renameSync(join(directory, 'd'), join(directory, 'secret/d'))
        writeFileSync(join(directory, 'secret/d/made there'), '')
        mkdirSync(join(directory, 'd'))
        writeFileSync(join(directory, 'd/other'), '')
      })
      expect(names).toEqual(['other'])
    }))

  it('is not found where nothing stands in its place', () =>
    inArea(area, async (planted) => {
      const { directory } = planted
      const names = await namesIn(planted, (time) => {
        if (time === 1) renameSync(join(directory, 'd'), join(directory, 'secret/d'))
      })
      expect(names).toBe('file not found')
    }))

  it('is not found when it has been removed', () =>
    inArea(area, async (planted) => {
      const { directory } = planted
      expect(await namesIn(planted, () => rmSync(join(directory, 'd'), { recursive: true, force: true }))).toBe(
        'file not found',
      )
    }))

  it('is trouble of the storage when it is moved again and again', () =>
    inArea(area, async (planted) => {
      const { directory } = planted
      const names = await namesIn(planted, (time) => {
        renameSync(join(directory, 'd'), join(directory, `secret/${time}`))
        mkdirSync(join(directory, 'd'))
      })
      expect([names, holds]).toEqual(['external', 8])
    }))

  it('and back again meanwhile is the same directory', () =>
    inArea(area, async (planted) => {
      const { directory } = planted
      const names = await namesIn(planted, () => {
        renameSync(join(directory, 'd'), join(directory, 'secret/d'))
        renameSync(join(directory, 'secret/d'), join(directory, 'd'))
      })
      expect([names, holds]).toEqual([['f'], 1])
    }))

  it('is trouble of the storage where it is the root of an area: a root is never missing', () =>
    inArea(area, async (planted) => {
      const { directory } = planted
      const movedEachTime = (time: number) => {
        renameSync(directory, `${directory} ${time}`)
        mkdirSync(directory)
      }
      expect(await namesIn(planted, movedEachTime, '/')).toBe('external')
      const removed = () => rmSync(directory, { recursive: true, force: true })
      expect(await namesIn(planted, removed, '/')).toBe('external')
    }))
})
