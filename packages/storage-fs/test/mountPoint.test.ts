import { readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Area } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { createArea } from '../src/admin/createArea.js'
import { areaRoots } from '../src/areas.js'
import { changeEvents } from '../src/changeEvents.js'
import { fsStorage } from '../src/fsStorage.js'
import { holdByDescriptor, holdByPath } from '../src/holdNode.js'
import { areaAt, at, dir, file, inArea, openIn } from './temporaryArea.js'

const onMountPoint = (location: string): Area.Area => ({ ...areaAt(location), isMountPoint: true })

const external = (directory: string) =>
  E.left({
    error: 'external',
    cause: expect.objectContaining({
      message: expect.stringContaining(
        `${directory} was a mount point when it was given to the account, and nothing is mounted there now`,
      ),
    }),
  })

describe.each([
  ['by descriptor', holdByDescriptor],
  ['by path', holdByPath],
])('an area on a mount point, held %s', (_, hold) => {
  it('is external as a whole where nothing is mounted, and nothing of it is left open', () =>
    inArea([dir('d', file('f'))], async ({ root, directory }) => {
      const { nodeAt, list, listSnapshot } = fsStorage(root, { hold })
      const area = onMountPoint('area')
      for (const path of ['/', '/d', '/d/f', '/missing']) {
        expect(await nodeAt(area, at(path))()).toEqual(external(directory))
        expect(await list(area, at(path))()).toEqual(external(directory))
      }
      expect(await listSnapshot(area, at('/'))()).toEqual(external(directory))
      expect(changeEvents(root, hold).watch(area, at('/d'), () => undefined)).toEqual(O.none)
      expect(openIn(root)).toEqual([])
      expect(await nodeAt(areaAt('area'), at('/d/f'))()).toMatchObject({ _tag: 'Right' })
    }))

  it('is served where something is mounted, also by a link to it', () =>
    inArea([], async ({ root }) => {
      symlinkSync('/proc', join(root, 'link'))
      const { nodeAt, list } = fsStorage(root, { hold })
      for (const location of ['/proc', '/', 'link']) {
        const area = onMountPoint(location)
        expect(await nodeAt(area, at('/'))()).toMatchObject({ right: { type: 'dir' } })
        expect(O.isSome(areaRoots(root)(area))).toBe(true)
      }
      expect(await nodeAt(onMountPoint('/proc'), at('/sys/kernel'))()).toMatchObject({ right: { type: 'dir' } })
      expect(await list(onMountPoint('link'), at('/sys'))()).toMatchObject({ _tag: 'Right' })
    }))
})

describe('what stands at the root of an area on a mount point', () => {
  it('is nothing where nothing is mounted, also for an area whose directory is known by another account', () =>
    inArea([], async ({ root, area }) => {
      const rootOf = areaRoots(root)
      expect(O.isSome(rootOf(area))).toBe(true)
      expect(rootOf(onMountPoint('area'))).toEqual(O.none)
      expect(O.isSome(rootOf(area))).toBe(true)
    }))
})

describe('the directory of an area', () => {
  it('tells whether it is a mount point', () =>
    inArea([], async ({ root }) => {
      const made = async (location: string) => await createArea(root, areaAt(location).location)()
      expect(await made('/proc')).toMatchObject({ right: { isNew: false, isMountPoint: true } })
      expect(await made('area')).toMatchObject({ right: { isNew: false, isMountPoint: false } })
      expect(await made('new')).toMatchObject({ right: { isNew: true, isMountPoint: false } })
      expect(readdirSync(root)).toContain('new')
    }))
})
