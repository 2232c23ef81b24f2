import { type StoragePath, visitorMaySee } from '@canopy/domain'
import { arbitraries, settingsOf, type World, type WorldAccount, type WorldNode } from '@canopy/testkit'
import * as fc from 'fast-check'

export type WorldPair = readonly [World, World]

type Nodes = ReadonlyArray<WorldNode>

/**
 * The same account without the nodes that no visitor may see: known from its settings and rules, never from what it holds. Where nothing
 * at all may be seen, it has no root, or has one where there was none.
 */
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
      // What is neither file nor directory does not exist for anyone.
      if (node.type !== 'dir') return []
      const content = visible(node.content, path)
      if (isReached) return [{ ...node, content }]
      // On the way to what is visible, a private directory stays, and its time is seen by no visitor.
      return content.length === 0 ? [] : [{ ...node, last_modified: node.last_modified ^ 1n, content }]
    })
  return { ...account, area: area === 'missing' ? area : visible(area, '') }
}

/** Visitors meet accounts alone, and one at a time: a second one is there for answers to be mixed up with. */
const accounts = fc.uniqueArray(arbitraries.worldAccount(), { minLength: 1, maxLength: 2, selector: ({ id }) => id })

/**
 * A world, and the same one without the nodes that no visitor may see. Where all such pairs are answered alike, so are any two
 * worlds that differ only in such nodes: what is left of both is the same.
 */
export const worldPair: fc.Arbitrary<WorldPair> = accounts.map((all) => [
  { accounts: all, triggers: [] },
  { accounts: all.map(visibleOf), triggers: [] },
])
