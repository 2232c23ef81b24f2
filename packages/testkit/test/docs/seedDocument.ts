import { Area, type UserId } from '@canopy/domain'
import type { SeedStorage, WorldAccount, WorldNode } from '@canopy/testkit'
import { documentStorage } from './documentStorage.js'

/** Omits links, FIFOs and names that are not UTF-8, which a document cannot have. */
const rowsOf = (directory: string, nodes: ReadonlyArray<WorldNode>): ReadonlyArray<object> =>
  nodes.flatMap((node) => {
    const path = `${directory}/${node.name}`
    const last_modified = 'last_modified' in node ? Number(node.last_modified) : 0
    if (node.type === 'file') return [{ type: 'file', path, size: Number(node.size), last_modified }]
    if (node.type === 'dir') return [{ type: 'dir', path, last_modified }, ...rowsOf(path, node.content)]
    return []
  })

const root = { type: 'dir', path: '/', last_modified: 0 }

export const documentOf = (nodes: WorldAccount['area']): string => {
  if (nodes === 'missing') throw new Error('no such document')
  return JSON.stringify([root, ...rowsOf('', nodes)])
}

export const seedDocument: SeedStorage = async (nodes, otherNodes) => ({
  ports: documentStorage(async (location) => documentOf(location === 'a document' ? nodes : otherNodes)),
  area: { owner: 1n as UserId.UserId, location: Area.location('a document') },
  other: { owner: 2n as UserId.UserId, location: Area.location('another document') },
  close: async () => undefined,
})
