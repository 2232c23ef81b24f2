import type { World, WorldNode } from '@canopy/testkit'

const changed = (change: (node: WorldNode) => WorldNode) => {
  const within = (node: WorldNode): WorldNode =>
    change(node.type === 'dir' ? { ...node, content: node.content.map(within) } : node)
  return within
}

/** A world in which some nodes are others. */
export const nodes =
  (change: (node: WorldNode) => WorldNode) =>
  ({ accounts, triggers }: World): World => ({
    triggers,
    accounts: accounts.map((account) => ({
      ...account,
      area: account.area === 'missing' ? account.area : account.area.map(changed(change)),
    })),
  })
