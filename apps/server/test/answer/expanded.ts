import type { Tree } from '@canopy/domain'

const nodesIn = (children: ReadonlyArray<Tree.Child>): number =>
  children.reduce((nodes, child) => nodes + (child.type === 'files' ? child.files.length : 1), 0)

/** What a directory is expanded to that holds these and no others, in batches of so many children. */
export const expanded = (children: ReadonlyArray<Tree.Child>, batch = 512): Tree.Decided => {
  const from = (start: number): Extract<Tree.Decided, { readonly is: 'expanded' }>['children'] => {
    const items = children.slice(start, start + batch)
    const next = start + batch
    return next < children.length
      ? { is: 'some', items, rest: () => from(next) }
      : { is: 'last', items, end: undefined }
  }
  return { is: 'expanded', count: nodesIn(children), children: from(0) }
}
