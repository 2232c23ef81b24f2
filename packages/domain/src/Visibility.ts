import * as t from 'io-ts'

/** Who may see a node (interface, part 2). */
export type Visibility = 'public' | 'hidden' | 'private'

export const all: ReadonlyArray<Visibility> = ['public', 'hidden', 'private']

export const codec: t.Type<Visibility, Visibility, unknown> = t.keyof(
  { public: null, hidden: null, private: null },
  'Visibility',
)
