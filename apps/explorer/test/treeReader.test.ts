import { runs } from '@canopy/test-support'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Read, treeReader } from '../src/treeReader.js'

interface File {
  readonly type: 'file'
  readonly name: string
  readonly size: bigint
}
interface Directory {
  readonly type: 'dir'
  readonly name: string
  readonly visibility: { readonly inherited: boolean; readonly visibility: string }
  readonly content: ReadonlyArray<File | Directory> | undefined
}

const name = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('content', 'type', 'dir', '__proto__', '"]}'))

const { directory } = fc.letrec<{ readonly directory: Directory; readonly node: File | Directory }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    fc.record({ type: fc.constant('file'), name, size: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }) }),
    tie('directory'),
  ),
  directory: fc.record({
    type: fc.constant('dir'),
    name,
    visibility: fc.record({ inherited: fc.boolean(), visibility: fc.constantFrom('public', 'hidden', 'private') }),
    content: fc.option(fc.array(tie('node')), { nil: undefined }),
  }),
}))

const visibility = '{"inherited":true,"visibility":"public"}'

const textOf = (node: File | Directory): string => {
  if (node.type === 'file')
    return `{"type":"file","name":${JSON.stringify(node.name)},"size":${node.size},"last_modified":7,"visibility":${visibility}}`
  const content = node.content === undefined ? '' : `,"content":[${node.content.map(textOf).join(',')}]`
  return `{"type":"dir","name":${JSON.stringify(node.name)},"visibility":${JSON.stringify(node.visibility)}${content}}`
}

const expected = ({ name: own, visibility: seen, content }: Directory): Read => ({
  name: own,
  visibility: seen as Read['visibility'],
  content: content && {
    directories: content.flatMap((node) => (node.type === 'dir' ? [expected(node)] : [])),
    files: content.filter(({ type }) => type === 'file').length,
    bytes: content.reduce((sum, node) => sum + (node.type === 'file' ? node.size : 0n), 0n),
  },
})

describe('a tree that is read while it comes', () => {
  it('has every directory and the exact bytes of its files, wherever the parts are cut', () => {
    fc.assert(
      fc.property(directory, fc.integer({ min: 1, max: 40 }), (tree, part) => {
        const bytes = new TextEncoder().encode(`{"type":"tree","content":${textOf(tree)}}`)
        const reader = treeReader()
        for (let at = 0; at < bytes.length; at += part) reader.read(bytes.subarray(at, at + part))
        expect(reader.root()).toEqual(expected(tree))
      }),
      { numRuns: runs(500) },
    )
  })

  it('is not there while it is not whole, but says how far it is', () => {
    const reader = treeReader()
    reader.read(
      new TextEncoder().encode(
        `{"type":"tree","content":{"type":"dir","name":"","visibility":${visibility},"content":[`,
      ),
    )
    reader.read(new TextEncoder().encode(textOf({ type: 'file', name: 'a', size: 1n })))
    expect([reader.root(), reader.progress()]).toEqual([undefined, { directories: 0, files: 1 }])
  })

  it('refuses what is no JSON', () => {
    expect(() => treeReader().read(new TextEncoder().encode('{"type":x'))).toThrow('Unexpected')
  })
})
