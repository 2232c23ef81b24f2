import type { WorldNode } from '@canopy/testkit'

export const file = (name: string, size = 0n): WorldNode => ({ type: 'file', name, size, last_modified: 17n })

export const dir = (name: string, ...content: ReadonlyArray<WorldNode>): WorldNode => ({
  type: 'dir',
  name,
  last_modified: 17n,
  content,
})

/** What the ports tell of `file(name, size)` and `dir(name)`. */
export const fileNode = (size: bigint) => ({ type: 'file', size, last_modified: 17n })
export const dirNode = { type: 'dir', last_modified: 17n }
