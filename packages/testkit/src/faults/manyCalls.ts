import type { Ask } from '../Ask.js'
import { dir, file } from '../laws/storage/nodes.js'
import { ownerItems, ownerTree, peek, visitorItems, visitorTree } from '../scenarios/asks.js'
import type { World } from '../World.js'

const token = `cnp_${'a'.repeat(42)}A`

/** Some 75 KB of JSON. */
const shelf = (name: string) =>
  dir(
    name,
    Array.from({ length: 500 }, (_, i) => file(`a file with some name ${i}`)),
  )

/** A world in which an answer takes many calls of the ports, and a tree may be longer than what a server holds back. */
export const worldOfManyCalls: World = {
  accounts: [
    {
      id: '1',
      verified: true,
      tokens: [{ token, scope: '/', state: 'valid' }],
      settings: [
        { path: '/open', visibility: 'public' },
        { path: '/open/secret', visibility: 'private' },
      ],
      area: [
        dir('open', [
          dir('a', [dir('b', [file('f'), file('g')]), dir('empty')]),
          dir('secret', [file('f')]),
          dir('shelves', ['1', '2', '3'].map(shelf)),
          file('f'),
        ]),
        file('readme.txt'),
      ],
    },
  ],
  triggers: [{ id: 'doorbell', value: '{"type":"webhook"}', state: 'valid' }],
}

/** Each operation, and what else takes a way of its own through the ports. */
export const asksOfManyCalls: ReadonlyArray<readonly [name: string, ask: Ask]> = [
  ['a tree by token', ownerTree(token, '/open/a')],
  ['a large tree by token', ownerTree(token)],
  ['a tree by user id', visitorTree('1', '/open/a')],
  ['a large tree by user id', visitorTree('1', '/open')],
  ['a listing by token', ownerItems(token, '/open')],
  ['a listing by user id', visitorItems('1', '/open')],
  ['a mismatch below a private directory', visitorItems('1', '/open/f/x/y')],
  ['a peek', peek('doorbell')],
]
