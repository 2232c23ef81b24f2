// The interface's shapes, written down once more and on purpose not from the domain: the order of fields is theirs.
import type { Visibility } from '@canopy/domain'
import { type Answer, answers } from './Scenario.js'

interface Vis {
  readonly inherited: boolean
  readonly visibility: Visibility.Visibility
}

export const own = (visibility: Visibility.Visibility): Vis => ({ inherited: false, visibility })
export const inherited = (visibility: Visibility.Visibility): Vis => ({ inherited: true, visibility })

export const fileNode = (name: string, size: number, last_modified: number, visibility: Vis) => ({
  type: 'file',
  name,
  size,
  last_modified,
  visibility,
})

export const dirNode = (name: string, visibility: Vis, content?: ReadonlyArray<unknown>) =>
  content === undefined ? { type: 'dir', name, visibility } : { type: 'dir', name, visibility, content }

export const fileItem = (name: string, size: number, last_modified: number, visibility: Vis) => ({
  visibility,
  is_file: true,
  name,
  last_modified,
  size,
})

export const dirItem = (name: string, last_modified: number, visibility: Vis) => ({
  visibility,
  is_file: false,
  name,
  last_modified,
  size: 0,
})

export const tree = (content: unknown) => ({ type: 'tree', content })
export const dirContent = (...content: ReadonlyArray<unknown>) => ({ type: 'dir content', content })

export const treeOf = (node: unknown): Answer => answers(tree(node))
export const listingOf = (...items: ReadonlyArray<unknown>): Answer => answers(dirContent(...items))
