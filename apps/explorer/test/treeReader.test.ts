import { runs } from '@canopy/test-support'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ReadDirectory, TreeReader } from '../src/treeReader.js'

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

const expected = ({ name: own, visibility: seen, content }: Directory): ReadDirectory => ({
  name: own,
  visibility: seen as ReadDirectory['visibility'],
  content: content && {
    directories: content.flatMap((node) => (node.type === 'dir' ? [expected(node)] : [])),
    files: content.filter(({ type }) => type === 'file').length,
    bytes: content.reduce((sum, node) => sum + (node.type === 'file' ? node.size : 0n), 0n),
  },
})

describe('a tree response', () => {
  it('is read with every directory and exact sizes, wherever the chunks end', () => {
    fc.assert(
      fc.property(directory, fc.integer({ min: 1, max: 40 }), (tree, chunkBytes) => {
        const bytes = new TextEncoder().encode(`{"type":"tree","content":${textOf(tree)}}`)
        const reader = new TreeReader()
        for (let start = 0; start < bytes.length; start += chunkBytes)
          reader.read(bytes.subarray(start, start + chunkBytes))
        expect(reader.root).toEqual(expected(tree))
      }),
      { numRuns: runs(500) },
    )
  })

  it('reports its progress before it is complete', () => {
    const reader = new TreeReader()
    reader.read(
      new TextEncoder().encode(
        `{"type":"tree","content":{"type":"dir","name":"","visibility":${visibility},"content":[`,
      ),
    )
    reader.read(new TextEncoder().encode(textOf({ type: 'file', name: 'a', size: 1n })))
    expect([reader.root, reader.progress]).toEqual([undefined, { directories: 0, files: 1 }])
  })

  it('is refused unless it is JSON', () => {
    expect(() => new TreeReader().read(new TextEncoder().encode('{"type":x'))).toThrow('Unexpected')
  })
})
