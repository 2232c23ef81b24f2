import { chmodSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Area } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { changeEvents } from '../../src/cache/changeEvents.js'
import { fsStorage } from '../../src/fsStorage.js'
import { areaRootAt, storageReachable } from '../../src/resolve/areas.js'
import { pinByDescriptor, pinByPath } from '../../src/resolve/openPinned.js'
import { areaAt, asNobody, at, dir, file, inArea, openIn, rootAt } from '../temporaryArea.js'

const onMountPoint = (location: string): Area.Area => ({ ...areaAt(location), isMountPoint: true })

const external = (directory: string) =>
  E.left({
    error: 'external',
    cause: expect.objectContaining({
      message: expect.stringContaining(
        `${directory} was a mount point when it was assigned to the account, but nothing is mounted there now`,
      ),
    }),
  })

describe.each([
  ['by descriptor', pinByDescriptor],
  ['by path', pinByPath],
])('an area on a mount point, held %s', (_, pin) => {
  it('is external at every path while unmounted, and leaves no descriptor open', () =>
    inArea([dir('d', file('f'))], async ({ root, directory }) => {
      const { nodeAt, list, listSnapshot } = fsStorage(root, { pin })
      const area = onMountPoint('area')
      for (const path of ['/', '/d', '/d/f', '/missing']) {
        expect(await nodeAt(area, at(path))()).toEqual(external(directory))
        expect(await list(area, at(path))()).toEqual(external(directory))
      }
      expect(await listSnapshot(area, at('/'))()).toEqual(external(directory))
      expect(changeEvents(root, { pin }).watch(area, at('/d'), () => undefined)).toBe(undefined)
      expect(openIn(root)).toEqual([])
      expect(await nodeAt(areaAt('area'), at('/d/f'))()).toMatchObject({ _tag: 'Right' })
    }))

  it('is served while mounted, also by a link to it', () =>
    inArea([], async ({ root }) => {
      symlinkSync('/proc', join(root, 'link'))
      const { nodeAt, list } = fsStorage(root, { pin })
      for (const location of ['/proc', '/', 'link']) {
        const area = onMountPoint(location)
        expect(await nodeAt(area, at('/'))()).toMatchObject({ right: { type: 'dir' } })
        expect(areaRootAt(root)(area)).toBeDefined()
      }
      expect(await nodeAt(onMountPoint('/proc'), at('/sys/kernel'))()).toMatchObject({ right: { type: 'dir' } })
      expect(await list(onMountPoint('link'), at('/sys'))()).toMatchObject({ _tag: 'Right' })
    }))
})

it('the root of the storage is reachable while it is a directory that may be entered', () =>
  inArea([file('file')], async ({ root, directory }) => {
    const look = async (path: string) => {
      const found = await storageReachable(rootAt(path))()
      return E.isRight(found) ? 'reachable' : String(found.left.cause)
    }
    expect(await look(root)).toBe('reachable')
    expect(await look(join(root, 'missing'))).toContain('ENOENT')
    expect(await look(join(directory, 'file'))).toContain('ENOTDIR')
    chmodSync(root, 0o600)
    expect(await asNobody(() => look(root))).toMatch(/EACCES: .*\. The user that runs Canopy does not have access/)
    chmodSync(root, 0o700)
  }))
