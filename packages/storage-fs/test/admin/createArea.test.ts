import { chmodSync, mkdirSync, mkdtempSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Area } from '@canopy/domain'
import { removeDirectory } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createArea, makeDirectory } from '../../src/admin/createArea.js'
import { areaDirectory } from '../../src/areas.js'
import { errnoOf } from '../../src/decode.js'
import type * as StorageRoot from '../../src/StorageRoot.js'
import { asNobody, rootAt } from '../temporaryArea.js'

let root: StorageRoot.StorageRoot
beforeAll(() => {
  root = rootAt(mkdtempSync(join(tmpdir(), 'canopy-fs-')))
})
afterAll(() => removeDirectory(root))

const create = (location: string) => createArea(root, Area.location(location))()
const made = (directory: string) => E.right({ directory, isNew: true, isMountPoint: false })
const found = (directory: string) => E.right({ directory, isNew: false, isMountPoint: false })
const refused = (reason: RegExp, suggestion?: RegExp) =>
  E.left({
    error: 'area not creatable',
    reason: expect.stringMatching(reason),
    suggestion: suggestion && expect.stringMatching(suggestion),
  })

describe('createArea', () => {
  it.each(['alice', 'teams/one/bob', '..dots', 'a/../carol', ' '])('makes the directory %j', async (location) => {
    expect(await create(location)).toEqual(made(areaDirectory(root, Area.location(location))))
    expect(statSync(join(root, location)).isDirectory()).toBe(true)
  })

  it('makes a directory elsewhere when the location is absolute', async () => {
    const elsewhere = join(root, '..', `${root.split('/').at(-1)}-elsewhere`, 'area')
    expect(await create(elsewhere)).toEqual(made(elsewhere))
    expect(statSync(elsewhere).isDirectory()).toBe(true)
    await removeDirectory(join(elsewhere, '..'))
  })

  it('finds a directory that is there, also through a link', async () => {
    mkdirSync(join(root, 'there'))
    symlinkSync('there', join(root, 'link'))
    expect(await create('there')).toEqual(found(join(root, 'there')))
    expect(await create('link')).toEqual(found(join(root, 'link')))
  })

  it('refuses what leads out of the storage root, and says to use an absolute path', async () => {
    for (const location of ['..', '../x', 'a/../../x', './../x']) {
      expect(await create(location)).toEqual(refused(/leads out of the storage/, /absolute path/))
    }
  })

  it('tells that a file is in the way', async () => {
    writeFileSync(join(root, 'file'), '')
    symlinkSync('file', join(root, 'to-file'))
    for (const location of ['file', 'file/x', 'to-file', 'to-file/x/y']) {
      expect(await create(location)).toEqual(refused(/no directory/, /^move that away/))
    }
  })

  it('tells that a link leads nowhere', async () => {
    symlinkSync('nowhere', join(root, 'lost'))
    expect(await create('lost')).toEqual(refused(/lost/, /^move that away/))
  })

  it('tells that it may not', async () => {
    chmodSync(root, 0o555)
    expect(await asNobody(() => create('forbidden'))).toEqual(refused(/may not create/, /^create it yourself/))
    chmodSync(root, 0o755)
  })

  it('refuses an empty location and a NUL', async () => {
    expect(await create('')).toEqual(refused(/needs a location/, /name a directory/))
    expect(await create('a\0b')).toEqual(refused(/NUL/))
  })
})

describe('a directory', () => {
  let at = ''

  beforeAll(async () => {
    at = await mkdtemp(join(tmpdir(), 'canopy-files-'))
    await writeFile(join(at, 'file'), '')
    await symlink(join(at, 'nowhere'), join(at, 'dangling'))
    await mkdir(join(at, 'real'))
    await symlink(join(at, 'real'), join(at, 'linked'))
  })
  afterAll(() => rm(at, { recursive: true }))

  const refusal = (path: string): Promise<string> => makeDirectory(path).then(() => 'made', errnoOf)

  it.each(['a/b/c', 'a/b', 'linked', 'linked/below'])('%s is made with those above it, or found', async (path) => {
    await makeDirectory(join(at, path))
    expect(statSync(join(at, path)).isDirectory()).toBe(true)
  })

  it.each([0o000, 0o022, 0o077])('is closed to other users, with those above it, under umask %i', async (umask) => {
    const before = process.umask(umask)
    try {
      await makeDirectory(join(at, `closed-${umask}/below`))
    } finally {
      process.umask(before)
    }
    for (const path of [`closed-${umask}`, `closed-${umask}/below`])
      expect(statSync(join(at, path)).mode & 0o777).toBe(0o750 & ~umask)
  })

  it('is made once, however many want it', async () => {
    const isNew = await Promise.all(Array.from({ length: 20 }, () => makeDirectory(join(at, 'many/of/them'))))
    expect(isNew.filter((made) => made)).toEqual([true])
    expect(statSync(join(at, 'many/of/them')).isDirectory()).toBe(true)
  })

  it.each(['file', 'file/below', 'dangling', 'dangling/below'])(
    '%s is refused: something is in the way',
    async (path) => {
      expect(await refusal(join(at, path))).toBe('EEXIST')
    },
  )

  it('is refused where none can be made', async () => {
    expect(await refusal('/proc/nobody/makes/this')).toBe('ENOENT')
  })
})
