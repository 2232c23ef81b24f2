import type { Child, Decided } from '../src/Tree.js'

/** What a directory is expanded to that holds these and no others, all in one batch. */
export const expanded = (children: ReadonlyArray<Child>): Decided => ({
  is: 'expanded',
  count: children.length,
  children: { is: 'last', items: children, end: undefined },
})
