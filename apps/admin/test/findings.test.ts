import { Area, type Name, StoragePath, type UserId } from '@canopy/domain'
import type { Account } from '@canopy/registry/admin'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { ofTrouble } from '../src/findings.js'

const account: Account = {
  id: 7n as UserId.UserId,
  name: O.none,
  verified: true,
  location: Area.location('7'),
  isMountPoint: false,
  areaMade: false,
}
const directory = StoragePath.root

// A test that runs as root can read every directory: here the storage only says that it could not.
describe('a directory that cannot be read', () => {
  it('is unreadable when it is there', () => {
    expect(
      ofTrouble(account, '/areas/7', { finding: 'directory not readable', directory, errno: 'EACCES' }),
    ).toMatchObject({
      kind: 'unreadable directory',
      path: '/',
      message: expect.stringContaining('cannot be read (EACCES)'),
    })
  })

  it('is a missing area when it is the root of the area and is not there', () => {
    for (const errno of ['ENOENT', 'ENOTDIR']) {
      expect(ofTrouble(account, '/areas/7', { finding: 'directory not readable', directory, errno })).toMatchObject({
        kind: 'missing area',
        path: null,
        message: expect.stringContaining('/areas/7 is no directory'),
      })
    }
  })

  it('is no missing area when it lies in the area and has gone meanwhile', () => {
    const photos = StoragePath.child(StoragePath.root, 'photos' as Name.Name)
    const found = {
      finding: 'directory not readable',
      directory: O.toUndefined(photos) ?? directory,
      errno: 'ENOENT',
    } as const
    expect(ofTrouble(account, '/areas/7', found)).toMatchObject({
      kind: 'unreadable directory',
      path: '/photos',
    })
  })
})

describe('what cannot be looked at', () => {
  it('is named itself, not the directory that it lies in', () => {
    expect(
      ofTrouble(account, '/areas/7', { finding: 'node not known', path: directory, errno: 'ENOTCONN' }),
    ).toMatchObject({
      kind: 'unknown node',
      path: '/',
      message: expect.stringContaining('cannot be looked at (ENOTCONN)'),
    })
  })
})

describe('a directory where names are folded', () => {
  it('is good to know, and needs no attention', () => {
    expect(ofTrouble(account, '/areas/7', { finding: 'names are folded', directory })).toEqual({
      subject: 'account 7 /',
      account: '7',
      path: '/',
      trigger: null,
      kind: 'folded names',
      message:
        'names that differ only in case or form are one file here; Canopy finds a node only by the name that its directory lists',
      note: true,
    })
  })
})
