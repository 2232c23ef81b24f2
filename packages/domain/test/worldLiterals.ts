import type { WorldDirectory, WorldFile, WorldNode } from '../../testkit/src/World.js'

/** Nodes as a test writes them down. */
export const file = (name: string, size = 0n): WorldFile => ({ type: 'file', name, size, last_modified: 1n })

export const dir = (name: string, ...content: ReadonlyArray<WorldNode>): WorldDirectory => ({
  type: 'dir',
  name,
  last_modified: 1n,
  content,
})
