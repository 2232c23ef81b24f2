import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import * as DirectoryItem from '../src/Items.js'
import { name, u64 } from './literals.js'

const visibility = { inherited: true, visibility: 'public' } as const

describe('a directory item', () => {
  it('has the fields of the interface', () => {
    const file = { type: 'file', name: name('"a"'), size: u64(2n ** 64n - 1n), last_modified: u64(7n) } as const
    expect(DirectoryItem.json(DirectoryItem.fromEntry(file, visibility))).toBe(
      '{"visibility":{"inherited":true,"visibility":"public"},"is_file":true,"name":"\\"a\\"","last_modified":7,"size":18446744073709551615}',
    )
  })

  it('of a directory has the size 0', () => {
    expect(DirectoryItem.fromEntry({ type: 'dir', name: name('d'), last_modified: u64(7n) }, visibility)).toStrictEqual(
      {
        visibility,
        is_file: false,
        name: 'd',
        last_modified: 7n,
        size: 0n,
      },
    )
  })

  it.each([
    ['a name that no node has', { name: 'a/b' }],
    ['a size that lost its digits', { size: 2 ** 53 }],
    ['a negative time', { last_modified: -1 }],
    ['no visibility', { visibility: undefined }],
  ])('is refused with %s', (_, wrong) => {
    const right = { visibility, is_file: true, name: 'a', last_modified: 1, size: 1 }
    expect(E.isRight(DirectoryItem.codec.decode(right))).toBe(true)
    expect(E.isLeft(DirectoryItem.codec.decode({ ...right, ...wrong }))).toBe(true)
  })
})
