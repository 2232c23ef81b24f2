import { chmodSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Area } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { changeEvents } from '../../src/cache/changeEvents.js'
import { fsStorage } from '../../src/read/fsStorage.js'
import { areaRootAt, storageReachable } from '../../src/resolve/areas.js'
import { pinByDescriptor, pinByPath } from '../../src/resolve/openPinned.js'
import type { StorageRoot } from '../../src/StorageRoot.js'
import { areaAt, asNobody, at, dir, file, inArea, openIn } from '../temporaryArea.js'

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
      expect(changeEvents(root, pin).watch(area, at('/d'), () => undefined)).toBe(undefined)
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

const codeOf = async (root: string): Promise<unknown> => {
  const answer = await storageReachable(root as StorageRoot)()
  return E.isRight(answer) ? 'reachable' : (answer.left.cause as NodeJS.ErrnoException).code
}

it('the root of the storage is reachable while it is a directory that may be entered', () =>
  inArea([file('file')], async ({ root, directory }) => {
    expect(await codeOf(root)).toBe('reachable')
    expect(await codeOf(join(root, 'missing'))).toBe('ENOENT')
    expect(await codeOf(join(directory, 'file'))).toBe('ENOTDIR')
    chmodSync(root, 0o600)
    expect(await asNobody(() => codeOf(root))).toBe('EACCES')
    chmodSync(root, 0o700)
  }))
