import { arbitraries } from '@canopy/testkit'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TreeNode } from '../src/index.js'

describe('a node of a tree', () => {
  it('is what the domain has, field by field', () =>
    fc.assert(
      fc.property(arbitraries.treeNode, (node) => {
        expect(TreeNode.fromDomain(node)).toEqual(node)
      }),
    ))

  it('is a file, an expanded directory or an unexpanded one, and never two of them', () =>
    fc.assert(
      fc.property(arbitraries.treeNode, (given) => {
        const node = TreeNode.fromDomain(given)
        const kind = TreeNode.match({ file: () => 'file', expanded: () => 'expanded', unexpanded: () => 'unexpanded' })
        expect(kind(node)).toBe(node.type === 'file' ? 'file' : 'content' in given ? 'expanded' : 'unexpanded')
        expect([TreeNode.isExpanded(node), TreeNode.isUnexpanded(node)]).toEqual([
          kind(node) === 'expanded',
          kind(node) === 'unexpanded',
        ])
      }),
    ))
})
