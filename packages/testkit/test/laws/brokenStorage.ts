import { Area, type UserId } from '@canopy/domain'
import { memoryStorage } from '../../src/memoryPorts.js'
import type { ChangingStorage, SeedStorage, StoragePorts, WorldNode } from '../../src/World.js'

export type Break = (ports: StoragePorts) => StoragePorts

const replaced = (
  nodes: ReadonlyArray<WorldNode>,
  [name, ...below]: ReadonlyArray<string>,
  node: WorldNode | undefined,
): ReadonlyArray<WorldNode> =>
  below.length === 0
    ? [...nodes.filter((each) => each.name !== name), ...(node === undefined ? [] : [node])]
    : nodes.map((each) =>
        each.type === 'dir' && each.name === name ? { ...each, content: replaced(each.content, below, node) } : each,
      )

/** The reference storage, which fulfils every law unless it is broken. */
export const seedBroken =
  (broken: Break = (ports) => ports, pageEntries?: number): SeedStorage<ChangingStorage> =>
  async (nodes, otherNodes) => {
    let now = nodes
    return {
      ports: broken(memoryStorage(({ location }) => (location === 'one' ? now : otherNodes), { pageEntries })),
      area: { owner: 1n as UserId.UserId, location: Area.location('one') },
      other: { owner: 2n as UserId.UserId, location: Area.location('other') },
      change: async (path, node) => {
        if (now !== 'missing') now = replaced(now, path.slice(1).split('/'), node)
      },
      close: async () => undefined,
    }
  }
