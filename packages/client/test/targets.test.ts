import { describe, expect, it } from 'vitest'
import { Input } from '../src/index.js'
import { targets } from '../src/targets.js'
import { right } from './right.js'

const token = right(Input.accessToken(`cnp_${'t'.repeat(42)}A`))
const user = right(Input.userId('18446744073709551615'))
const path = right(Input.storagePath('/a b/?x=1#/%2F/..a/\\/\u00e9'))
const raw = '/a%20b/%3Fx%3D1%23/%252F/..a/%5C/%C3%A9'
const root = right(Input.storagePath('/'))

describe('what an operation asks for', () => {
  it('is its path of the interface, each name percent-encoded once', () => {
    expect(targets.storageTree({ token, path })).toBe(`/api/storage/v1/tree/${token}${raw}`)
    expect(targets.userContentTree({ user, path })).toBe(`/api/usercontent/v1/tree/id/18446744073709551615${raw}`)
    expect(targets.storageDirItems({ token, path })).toBe(`/api/storage/v1/diritems/${token}${raw}`)
    expect(targets.userContentDirItems({ user, path })).toBe(
      `/api/usercontent/v1/diritems/id/18446744073709551615${raw}`,
    )
    expect(targets.triggerPeek({ id: right(Input.triggerId('?a b#%')) })).toBe('/api/triggers/v1/peek/%3Fa%20b%23%25')
  })

  it('has no path for the root', () => {
    expect(targets.storageTree({ token, path: root })).toBe(`/api/storage/v1/tree/${token}`)
  })

  it('has the bounds that are given, and no others', () => {
    const after = right(Input.name('a&b=c+d#'))
    expect(targets.storageTree({ token, path: root, depth: 0 })).toBe(`/api/storage/v1/tree/${token}?depth=0`)
    expect(targets.storageDirItems({ token, path: root, limit: 5, after })).toBe(
      `/api/storage/v1/diritems/${token}?limit=5&after=a%26b%3Dc%2Bd%23`,
    )
    expect(targets.storageDirItems({ token, path: root, after })).toBe(
      `/api/storage/v1/diritems/${token}?after=a%26b%3Dc%2Bd%23`,
    )
  })

  it('has no bound that is `undefined`', () => {
    const none = { limit: undefined, after: undefined }
    expect(targets.userContentTree({ user, path: root, depth: undefined })).toBe(
      targets.userContentTree({ user, path: root }),
    )
    expect(targets.storageDirItems({ token, path: root, ...none })).toBe(targets.storageDirItems({ token, path: root }))
  })

  it('has bounds that are none, of a program without types, encoded: they add nothing else to the target', () => {
    const none = '1#&after=b' as unknown as number
    expect(targets.storageTree({ token, path: root, depth: none })).toMatch(/\?depth=1%23%26after%3Db$/)
    expect(targets.userContentDirItems({ user, path: root, limit: none })).toMatch(/\?limit=1%23%26after%3Db$/)
  })
})
