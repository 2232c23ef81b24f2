import type { WorldAccount, WorldNode } from '../../testkit/src/World.js'

/** What an area holds; nothing where it is missing. */
export const nodesOf = ({ area }: WorldAccount): ReadonlyArray<WorldNode> => (area === 'missing' ? [] : area)
