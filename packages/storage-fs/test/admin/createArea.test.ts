import { chmodSync, mkdirSync, mkdtempSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Area } from '@canopy/domain'
import { uprootDirectory } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createArea } from '../../src/admin/createArea.js'
import { areaDirectory } from '../../src/areaDirectory.js'
import type * as StorageRoot from '../../src/StorageRoot.js'
import { asNobody } from '../asNobody.js'
import { rootAt } from '../temporaryArea.js'

let root: StorageRoot.StorageRoot
beforeAll(() => {
  root = rootAt(mkdtempSync(join(tmpdir(), 'canopy-fs-')))
})
afterAll(() => uprootDirectory(root))

const create = (location: string) => createArea(root, Area.location(location))()
const made = (directory: string) => E.right({ directory, isNew: true, isMountPoint: false })
const found = (directory: string) => E.right({ directory, isNew: false, isMountPoint: false })
const refused = (reason: RegExp) => E.left({ error: 'area not creatable', reason: expect.stringMatching(reason) })

describe('createArea', () => {
  it.each(['alice', 'teams/one/bob', '..dots', 'a/../carol', ' '])('makes the directory %j', async (location) => {
    expect(await create(location)).toEqual(made(areaDirectory(root, Area.location(location))))
    expect(statSync(join(root, location)).isDirectory()).toBe(true)
  })

  it('makes a directory elsewhere when the location is absolute', async () => {
    const elsewhere = join(root, '..', `${root.split('/').at(-1)}-elsewhere`, 'area')
    expect(await create(elsewhere)).toEqual(made(elsewhere))
    expect(statSync(elsewhere).isDirectory()).toBe(true)
    await uprootDirectory(join(elsewhere, '..'))
  })

  it('finds a directory that is there, also through a link', async () => {
    mkdirSync(join(root, 'there'))
    symlinkSync('there', join(root, 'link'))
    expect(await create('there')).toEqual(found(join(root, 'there')))
    expect(await create('link')).toEqual(found(join(root, 'link')))
  })

  it('refuses what leads out of the storage root, and says to use an absolute path', async () => {
    for (const location of ['..', '../x', 'a/../../x', './../x']) {
      expect(await create(location)).toEqual(refused(/absolute path/))
    }
  })

  it('tells that a file is in the way', async () => {
    writeFileSync(join(root, 'file'), '')
    symlinkSync('file', join(root, 'to-file'))
    for (const location of ['file', 'file/x', 'to-file', 'to-file/x/y']) {
      expect(await create(location)).toEqual(refused(/no directory.*move that away/))
    }
  })

  it('tells that a link leads nowhere', async () => {
    symlinkSync('nowhere', join(root, 'lost'))
    expect(await create('lost')).toEqual(refused(/lost/))
  })

  it('tells that it may not', async () => {
    chmodSync(root, 0o555)
    expect(await asNobody(() => create('forbidden'))).toEqual(refused(/may not create/))
    chmodSync(root, 0o755)
  })

  it('refuses an empty location and a NUL', async () => {
    expect(await create('')).toEqual(refused(/needs a location/))
    expect(await create('a\0b')).toEqual(refused(/NUL/))
  })
})
