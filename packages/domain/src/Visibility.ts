import * as t from 'io-ts'

/** Who may see a node (interface, part 2). */
export type Visibility = 'public' | 'hidden' | 'private'

export const all: ReadonlyArray<Visibility> = ['public', 'hidden', 'private']

export const codec: t.Type<Visibility, Visibility, unknown> = t.keyof(
  { public: null, hidden: null, private: null },
  'Visibility',
)

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

const textsOf = (inherited: boolean): { readonly [V in Visibility]: string } => ({
  public: `{"inherited":${inherited},"visibility":"public"}`,
  hidden: `{"inherited":${inherited},"visibility":"hidden"}`,
  private: `{"inherited":${inherited},"visibility":"private"}`,
})

// There are six of them, and one stands in every node of an answer.
const [ownTexts, inheritedTexts] = [textsOf(false), textsOf(true)]

export const json = ({ inherited, visibility }: NodeVisibility): string =>
  (inherited ? inheritedTexts : ownTexts)[visibility]
