import * as t from 'io-ts'

/** Who may see a node. `View.ts` has the table of a visitor's rights. */
export type Visibility = 'public' | 'hidden' | 'private'

const values: { readonly [V in Visibility]: null } = { public: null, hidden: null, private: null }

/** From the most visible to the least. */
export const all = Object.keys(values) as ReadonlyArray<Visibility>

export const codec: t.Type<Visibility, Visibility, unknown> = t.keyof(values, 'Visibility')

/** `VISIBILITY` in docs/http-api.md. `inherited` is true if the visibility comes from a parent directory. */
export interface NodeVisibility {
  readonly inherited: boolean
  readonly visibility: Visibility
}

export const nodeCodec: t.Type<NodeVisibility, NodeVisibility, unknown> = t.readonly(
  t.type({ inherited: t.boolean, visibility: codec }),
  'NodeVisibility',
)

export const notInherited = (visibility: Visibility): NodeVisibility => ({ inherited: false, visibility })

/** Returns the visibility of a child without a setting, from the visibility of its parent. */
export const inherit = (parent: NodeVisibility): NodeVisibility =>
  parent.inherited ? parent : { inherited: true, visibility: parent.visibility }

/** Computes the text of each value once. */
export const tabulate = (textOf: (value: NodeVisibility) => string): ((value: NodeVisibility) => string) => {
  const row = (inherited: boolean) =>
    Object.fromEntries(all.map((visibility) => [visibility, textOf({ inherited, visibility })])) as Record<
      Visibility,
      string
    >
  const [inherited, notInherited] = [row(true), row(false)]
  return (value) => (value.inherited ? inherited : notInherited)[value.visibility]
}

export const json = tabulate(({ inherited, visibility }) => `{"inherited":${inherited},"visibility":"${visibility}"}`)
