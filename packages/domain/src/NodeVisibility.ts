import * as t from 'io-ts'
import * as Visibility from './Visibility.js'

/** The interface's "Visibility object": the visibility of a node, and whether a parent directory gave it. */
export interface NodeVisibility {
  readonly inherited: boolean
  readonly visibility: Visibility.Visibility
}

export const codec: t.Type<NodeVisibility, NodeVisibility, unknown> = t.readonly(
  t.type({ inherited: t.boolean, visibility: Visibility.codec }),
  'NodeVisibility',
)

export const own = (visibility: Visibility.Visibility): NodeVisibility => ({ inherited: false, visibility })

/** What a child without a setting of its own has from a parent of this visibility. */
export const inherit = (parent: NodeVisibility): NodeVisibility =>
  parent.inherited ? parent : { inherited: true, visibility: parent.visibility }

export const json = ({ inherited, visibility }: NodeVisibility): string =>
  `{"inherited":${inherited ? 'true' : 'false'},"visibility":"${visibility}"}`
