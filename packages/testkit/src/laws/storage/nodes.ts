import type { WorldDirectory, WorldFile, WorldNode, WorldOther } from '../../World.js'

const someTime = 1_700_000_000n

export const file = (name: string, size = 0n, last_modified = someTime): WorldFile => ({
  type: 'file',
  name,
  size,
  last_modified,
})

export const dir = (
  name: string,
  content: ReadonlyArray<WorldNode> = [],
  last_modified = someTime,
): WorldDirectory => ({ type: 'dir', name, last_modified, content })

export const locked = (name: string, content: ReadonlyArray<WorldNode>): WorldDirectory => ({
  ...dir(name, content),
  locked: true,
})

export const link = (name: string, target: string): WorldOther => ({ type: 'link', name, target })
export const fifo = (name: string): WorldOther => ({ type: 'fifo', name })
export const undecodable = (name: string): WorldOther => ({ type: 'undecodable', name })
