import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import * as TreeNode from '../src/TreeNode.js'
import { name, u64 } from './literals.js'

const visibility = { inherited: false, visibility: 'public' } as const
const file: TreeNode.FileTreeNode = {
  type: 'file',
  name: name('a\n😀'),
  size: u64(2n ** 64n - 1n),
  last_modified: u64(2n ** 53n + 1n),
  visibility,
}

const nameless = { type: 'dir', name: '', visibility }

describe('a node of a tree', () => {
  it('a file has the fields of the interface', () => {
    expect(TreeNode.json(file)).toBe(
      '{"type":"file","name":"a\\n😀","size":18446744073709551615,"last_modified":9007199254740993,"visibility":{"inherited":false,"visibility":"public"}}',
    )
  })

  it('a directory that is not expanded has no content; one that is empty has an empty one', () => {
    const directory = { type: 'dir', name: '', visibility } as const
    const head = '{"type":"dir","name":"","visibility":{"inherited":false,"visibility":"public"}'
    expect(TreeNode.json(directory)).toBe(`${head}}`)
    expect(TreeNode.json({ ...directory, content: [] })).toBe(`${head},"content":[]}`)
    expect(TreeNode.json({ ...directory, content: [file, directory] })).toBe(
      `${head},"content":[${TreeNode.json(file)},${head}}]}`,
    )
  })

  it.each([
    ['a type that is none', { ...file, type: 'link' }],
    ['a file without a name', { ...file, name: '' }],
    ['a file without a size', { ...file, size: undefined }],
    ['a child that is no node', { type: 'dir', name: 'd', visibility, content: [{}] }],
    ['a directory without a visibility', { type: 'dir', name: 'd' }],
    ['a directory without a name', { type: 'dir', visibility }],
    ['a directory whose content is no list', { type: 'dir', name: 'd', visibility, content: {} }],
    ['a child without a name', { type: 'dir', name: '', visibility, content: [{ type: 'dir', name: '', visibility }] }],
    [
      'a child without a name further below',
      { type: 'dir', name: 'd', visibility, content: [{ type: 'dir', name: 'e', visibility, content: [nameless] }] },
    ],
    ['a name that climbs', { type: 'dir', name: '..', visibility }],
  ])('is refused: %s', (_, wrong) => {
    expect(E.isLeft(TreeNode.codec.decode(wrong))).toBe(true)
  })

  it('has the fields of its kind, and no others: a file has no content', () => {
    expect(TreeNode.codec.decode({ ...file, content: [file], colour: 'red' })).toStrictEqual(E.right(file))
    const directory = { type: 'dir', name: 'd', visibility, content: [file] } as const
    const child = { ...file, content: [] }
    expect(TreeNode.codec.decode({ ...directory, content: [child], size: 1n })).toStrictEqual(E.right(directory))
  })

  it('a refusal tells in which kind of node it is', () => {
    const decoded = TreeNode.codec.decode({ type: 'dir', name: 'd' })
    const types = E.isLeft(decoded) ? decoded.left.flatMap(({ context }) => context.map(({ type }) => type.name)) : []
    expect(types).toContain('DirectoryTreeNode')
  })
})
