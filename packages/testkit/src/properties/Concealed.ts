import { type StoragePath, View } from '@canopy/domain'
import { settingsMap } from '../settingsMap.js'
import type { WorldAccount, WorldNode } from '../World.js'

/** What no visitor may see of one account: told from its settings, never from what it holds. */
export interface Concealed {
  /** Whatever is there, or is not there, no visitor may learn of it. */
  readonly isPath: (path: string) => boolean
  /** Neither the node nor any below it. What is neither file nor directory does not exist for anybody. */
  readonly isNode: (path: string, node: WorldNode) => boolean
  /** The whole area, whether it is there or not. */
  readonly isArea: boolean
}

export const concealedIn = (account: WorldAccount): Concealed => {
  const settings = settingsMap(account)
  const isPath = (path: string): boolean =>
    !account.verified || !View.visitorReaches(settings, path as StoragePath.StoragePath)
  const isNode = (path: string, node: WorldNode): boolean => {
    if (node.type !== 'file' && node.type !== 'dir') return true
    const below = node.type === 'dir' ? node.content : []
    return isPath(path) && below.every((child) => isNode(`${path}/${child.name}`, child))
  }
  const isArea = !account.verified || account.settings.every(({ visibility }) => visibility === 'private')
  return { isPath, isNode, isArea }
}
