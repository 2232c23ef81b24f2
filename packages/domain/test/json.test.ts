import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { parse, parseNumberAndBigInt } from 'lossless-json'
import { describe, expect, it } from 'vitest'
import { directoryItem, failure, treeNode, triggerValue } from '../../testkit/src/arbitraries/values.js'
import * as Envelope from '../src/Envelope.js'
import * as Items from '../src/Items.js'
import * as TreeNode from '../src/TreeNode.js'
import { name, u64 } from './support.js'

const visibility = { inherited: false, visibility: 'public' } as const

describe('the envelopes have the types of the interface', () => {
  it('tree, and dir content', () => {
    const { dirContentCodec, dirContentJson, treeCodec, treeJson } = Envelope
    fc.assert(
      fc.property(treeNode, fc.array(directoryItem), (node, items) => {
        const tree = { type: 'tree', content: node } as const
        expect(treeCodec.decode(parse(treeJson(node), undefined, parseNumberAndBigInt))).toStrictEqual(E.right(tree))
        expect(treeCodec.decode(treeCodec.encode(tree))).toStrictEqual(E.right(tree))
        const listing = { type: 'dir content', content: items } as const
        expect(dirContentCodec.decode(parse(dirContentJson(items), undefined, parseNumberAndBigInt))).toStrictEqual(
          E.right(listing),
        )
        expect(dirContentCodec.decode(dirContentCodec.encode(listing))).toStrictEqual(E.right(listing))
      }),
    )
  })

  it('trigger peak, spelled exactly so, with the value of the trigger as it is; error, with the name and nothing else', () => {
    const { errorCodec, errorJson, triggerPeakCodec, triggerPeakJson } = Envelope
    fc.assert(
      fc.property(triggerValue, failure, (value, { error }) => {
        const peak = triggerPeakJson(value)
        expect(peak).toBe(`{"type":"trigger peak","value":${value.json}}`)
        expect(triggerPeakCodec.decode(JSON.parse(peak))).toEqual(E.right(JSON.parse(peak)))
        expect(errorJson(error)).toBe(`{"type":"error","error":"${error}"}`)
        expect(errorCodec.decode(JSON.parse(errorJson(error)))).toStrictEqual(E.right({ type: 'error', error }))
      }),
    )
  })
})

describe('a directory item', () => {
  it('has the fields of the interface', () => {
    const entry = { type: 'file', name: name('"a"'), size: u64(2n ** 64n - 1n), last_modified: u64(7n) } as const
    expect(Items.json(Items.fromEntry(entry, visibility))).toBe(
      '{"visibility":{"inherited":false,"visibility":"public"},"is_file":true,"name":"\\"a\\"","last_modified":7,"size":18446744073709551615}',
    )
  })

  it('of a directory has the size 0', () => {
    const entry = { type: 'dir', name: name('d'), last_modified: u64(7n) } as const
    const item = { visibility, is_file: false, name: 'd', last_modified: 7n, size: 0n }
    expect(Items.fromEntry(entry, visibility)).toStrictEqual(item)
  })
})

describe('a node of a tree', () => {
  const file: TreeNode.FileTreeNode = {
    type: 'file',
    name: name('a\n\u{1f600}'),
    size: u64(2n ** 64n - 1n),
    last_modified: u64(2n ** 53n + 1n),
    visibility,
  }
  const nameless = { type: 'dir', name: '', visibility } as const
  const directory = { type: 'dir', name: name('d'), visibility } as const

  it('a file has the fields of the interface', () => {
    expect(TreeNode.json(file)).toBe(
      '{"type":"file","name":"a\\n\u{1f600}","size":18446744073709551615,"last_modified":9007199254740993,"visibility":{"inherited":false,"visibility":"public"}}',
    )
  })

  it('a directory that is not expanded has no content; one that is empty has an empty one', () => {
    const head = '{"type":"dir","name":"","visibility":{"inherited":false,"visibility":"public"}'
    expect(TreeNode.json(nameless)).toBe(`${head}}`)
    expect(TreeNode.json({ ...nameless, content: [] })).toBe(`${head},"content":[]}`)
    expect(TreeNode.json({ ...nameless, content: [file, nameless] })).toBe(
      `${head},"content":[${TreeNode.json(file)},${head}}]}`,
    )
  })

  it.each([
    ['a type that is none', { ...file, type: 'link' }],
    ['a file without a name', { ...file, name: '' }],
    ['a file without a size', { ...file, size: undefined }],
    ['a child that is no node', { ...directory, content: [{}] }],
    ['a directory without a visibility', { type: 'dir', name: 'd' }],
    ['a directory without a name', { type: 'dir', visibility }],
    ['a directory whose content is no list', { ...directory, content: {} }],
    ['a child without a name', { ...nameless, content: [nameless] }],
    ['a child without a name further below', { ...directory, content: [{ ...directory, content: [nameless] }] }],
    ['a name that climbs', { ...directory, name: '..' }],
  ])('is refused: %s', (_, wrong) => {
    expect(E.isLeft(TreeNode.codec.decode(wrong))).toBe(true)
  })

  it('has the fields of its kind, and no others: a file has no content', () => {
    expect(TreeNode.codec.decode({ ...file, content: [file], colour: 'red' })).toStrictEqual(E.right(file))
    const child = { ...file, content: [] }
    const decoded = TreeNode.codec.decode({ ...directory, content: [child], size: 1n })
    expect(decoded).toStrictEqual(E.right({ ...directory, content: [file] }))
  })

  it('a refusal says in which kind of node it is', () => {
    const decoded = TreeNode.codec.decode({ type: 'dir', name: 'd' })
    const types = E.isLeft(decoded) ? decoded.left.flatMap(({ context }) => context.map(({ type }) => type.name)) : []
    expect(types).toContain('DirectoryTreeNode')
  })
})
