import {
  memoryStorage,
  settingsMap,
  type WorldAccount,
  type WorldDirectory,
  type WorldFile,
  type WorldNode,
} from '../../testkit/src/World.js'
import type { ListEnv, NodeAtEnv } from '../src/ports.js'
import type { Settings } from '../src/Settings.js'

/** Nodes as a test writes them down. */
export const file = (name: string, size = 0n): WorldFile => ({ type: 'file', name, size, last_modified: 1n })

export const dir = (name: string, ...content: ReadonlyArray<WorldNode>): WorldDirectory => ({
  type: 'dir',
  name,
  last_modified: 1n,
  content,
})

/** What an area holds; nothing where it is missing. */
export const nodesOf = ({ area }: WorldAccount): ReadonlyArray<WorldNode> => (area === 'missing' ? [] : area)

export const settingsOf = (account: WorldAccount): Settings => settingsMap(account)

/** The storage ports over plain data, for one area. */
export const storageOf = (content: ReadonlyArray<WorldNode>): NodeAtEnv & ListEnv => memoryStorage(() => content)
