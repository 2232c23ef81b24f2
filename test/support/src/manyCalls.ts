import type { Ask, World } from '@canopy/testkit'
import { dir, file, files, token, worldWith } from './worlds.js'

/** Some 75 KB of JSON. */
const shelf = (name: string) => dir(name, ...files(500, 'a file with some name'))

/** Responses take many port calls, and trees may be streamed. */
export const worldOfManyCalls: World = worldWith(
  [
    dir(
      'open',
      dir('a', dir('b', file('f'), file('g')), dir('empty')),
      dir('secret', file('f')),
      dir('shelves', ...['1', '2', '3'].map(shelf)),
      file('f'),
    ),
    file('readme.txt'),
  ],
  {
    settings: [
      { path: '/open', visibility: 'public' },
      { path: '/open/secret', visibility: 'private' },
    ],
  },
  [{ id: 'doorbell', value: '{"type":"webhook"}', state: 'valid' }],
)

/** Requests that call the ports in different orders. */
export const asksOfManyCalls: ReadonlyArray<readonly [name: string, ask: Ask]> = [
  ['a tree by token', { operation: 'storageTree', credential: token, path: '/open/a' }],
  ['a large tree by user id', { operation: 'userContentTree', credential: '1', path: '/open' }],
  ['lines by token', { operation: 'storageTree', credential: token, path: '', lines: { name: 'f' } }],
  ['a listing by token', { operation: 'storageDirItems', credential: token, path: '/open' }],
  ['a listing by user id', { operation: 'userContentDirItems', credential: '1', path: '/open' }],
  ['a mismatch below a private directory', { operation: 'userContentDirItems', credential: '1', path: '/open/f/x/y' }],
  ['a peek', { operation: 'triggerPeek', credential: 'doorbell' }],
]
