import * as t from 'io-ts'

/** Who may see a node (interface, part 2). What a visitor may do with each is in the table of `View.ts`. */
export type Visibility = 'public' | 'hidden' | 'private'

const values: { readonly [V in Visibility]: null } = { public: null, hidden: null, private: null }

export const all = Object.keys(values) as ReadonlyArray<Visibility>

export const codec: t.Type<Visibility, Visibility, unknown> = t.keyof(values, 'Visibility')

/** The interface's "Visibility object": the visibility of a node, and whether a parent directory gave it. */
export interface NodeVisibility {
  readonly inherited: boolean
  readonly visibility: Visibility
}

export const nodeCodec: t.Type<NodeVisibility, NodeVisibility, unknown> = t.readonly(
  t.type({ inherited: t.boolean, visibility: codec }),
  'NodeVisibility',
)

export const own = (visibility: Visibility): NodeVisibility => ({ inherited: false, visibility })

/** What a child without a setting of its own has from a parent of this visibility. */
export const inherit = (parent: NodeVisibility): NodeVisibility =>
  parent.inherited ? parent : { inherited: true, visibility: parent.visibility }

/** The same function, which makes the text of each of the six values once and looks it up from then on. */
export const tabulate = (textOf: (value: NodeVisibility) => string): ((value: NodeVisibility) => string) => {
  const row = (inherited: boolean): { readonly [V in Visibility]: string } => ({
    public: textOf({ inherited, visibility: 'public' }),
    hidden: textOf({ inherited, visibility: 'hidden' }),
    private: textOf({ inherited, visibility: 'private' }),
  })
  const [inherited, notInherited] = [row(true), row(false)]
  return (value) => (value.inherited ? inherited : notInherited)[value.visibility]
}

export const json = tabulate(({ inherited, visibility }) => `{"inherited":${inherited},"visibility":"${visibility}"}`)
