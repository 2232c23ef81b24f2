import { type StoragePath, visitorMaySee } from '@canopy/domain'
import { arbitraries, settingsOf, type World, type WorldAccount, type WorldNode } from '@canopy/testkit'
import * as fc from 'fast-check'

export type WorldPair = readonly [World, World]

type Nodes = ReadonlyArray<WorldNode>

/** Removes the nodes that no visitor may see. For an invisible area, toggles whether the root exists. */
const visibleOf = (account: WorldAccount): WorldAccount => {
  const { area, verified } = account
  const settings = settingsOf(account)
  if (!verified || account.settings.every(({ visibility }) => visibility === 'private'))
    return { ...account, area: area === 'missing' ? [] : 'missing' }
  const visible = (nodes: Nodes, parent: string): Nodes =>
    nodes.flatMap((node): Nodes => {
      const path = `${parent}/${node.name}`
      const isReached = visitorMaySee(settings, path as StoragePath.StoragePath)
      if (node.type === 'file') return isReached ? [node] : []
      // Links and special files do not exist for clients.
      if (node.type !== 'dir') return []
      const content = visible(node.content, path)
      if (isReached) return [{ ...node, content }]
      // A private directory above a visible node stays. Visitors cannot see its time.
      return content.length === 0 ? [] : [{ ...node, last_modified: node.last_modified ^ 1n, content }]
    })
  return { ...account, area: area === 'missing' ? area : visible(area, '') }
}

/** A service might mix up two accounts. */
const accounts = fc.uniqueArray(arbitraries.worldAccount(), { minLength: 1, maxLength: 2, selector: ({ id }) => id })

/** A world, and the same world without invisible nodes. If all such pairs are alike, so are all worlds with the same visible nodes. */
export const worldPair: fc.Arbitrary<WorldPair> = accounts.map((all) => [
  { accounts: all, triggers: [] },
  { accounts: all.map(visibleOf), triggers: [] },
])
