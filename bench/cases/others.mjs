import { checkListing, checkTree } from '../checks.mjs'
import { nodesIn } from '../plant.mjs'
import { treeOf } from '../world.mjs'
import { againstKoa } from './againstKoa.mjs'

const listed = 1_000
const nodes = nodesIn(treeOf.breadths, treeOf.files)

export const others = {
  name: 'others',
  title: 'The other operations',
  run: (context) =>
    againstKoa(context, ({ ownListing, tree, peek }) => [
      {
        what: 'listing of 1,000 entries by token',
        path: ownListing(listed),
        check: (port, path) => checkListing(port, path, listed),
        atLeast: 1,
      },
      {
        what: 'tree of 1,000 nodes',
        path: tree,
        check: (port, path) => checkTree(port, path, nodes),
        atLeast: 0.9,
      },
      { what: 'trigger peek', path: peek, atLeast: 0.9 },
    ]),
}
