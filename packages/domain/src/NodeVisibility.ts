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

/** The same function, whose values are made once: there are six of them. */
export const tabulate = <A>(f: (visibility: NodeVisibility) => A): ((visibility: NodeVisibility) => A) => {
  const valuesOf = (inherited: boolean): Readonly<Record<Visibility.Visibility, A>> => ({
    public: f({ inherited, visibility: 'public' }),
    hidden: f({ inherited, visibility: 'hidden' }),
    private: f({ inherited, visibility: 'private' }),
  })
  const [owns, inherits] = [valuesOf(false), valuesOf(true)]
  return ({ inherited, visibility }) => (inherited ? inherits : owns)[visibility]
}

export const json: (visibility: NodeVisibility) => string = tabulate(
  ({ inherited, visibility }) => `{"inherited":${inherited},"visibility":"${visibility}"}`,
)
