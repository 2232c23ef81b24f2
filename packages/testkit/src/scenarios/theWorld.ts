import {
  dir as dirOf,
  file,
  textFile,
  type World,
  type WorldAccount,
  type WorldDirectory,
  type WorldNode,
  type WorldSetting,
} from '../World.js'
import { type Ask, byToken, byUser, inherited, own, peek, shownDir, shownFile } from './Scenario.js'

export const dir = (name: string, last_modified: number, ...content: ReadonlyArray<WorldNode>): WorldDirectory => ({
  ...dirOf(name, ...content),
  last_modified: BigInt(last_modified),
})

const token = (letter: string): string => `cnp_${letter.repeat(42)}A`

export const tokens = {
  owner: token('a'),
  scoped: token('b'),
  expired: token('c'),
  revoked: token('d'),
  unverified: token('e'),
  lostDisk: token('f'),
  largestId: token('g'),
  empty: token('h'),
  closed: token('i'),
  bounds: token('j'),
  exact: token('k'),
  ruled: token('l'),
  unknown: token('z'),
}

export const triggers = {
  doorbell: 'doorbell',
  odd: 'tür auf',
  expired: 'expired',
  deleted: 'deleted',
  broken: 'broken',
}

/** The bytes of a file. All other files are zeros. */
export const readmeText = 'Hello, canopy\n'

/** In byte order of UTF-8. The order of JavaScript swaps the last two. */
export const oddNames = [
  ' leading space',
  '"quoted"',
  '%2F',
  '...',
  'a b',
  'back\\slash',
  'new\nline',
  '\u00e9', // composed, and below decomposed: two names
  'e\u0301',
  '\uff5e',
  '\u{1f600}',
].sort((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)))

/** Returns an account with one token for its whole area. */
export const account = (
  id: string,
  ownersToken: string,
  settings: WorldAccount['settings'],
  area: WorldAccount['area'],
): WorldAccount => ({
  id,
  verified: true,
  tokens: [{ token: ownersToken, scope: '/', state: 'valid' }],
  settings,
  area,
})

const atRoot = (visibility: WorldSetting['visibility']): WorldSetting => ({ path: '/', visibility })

/** One world for every rule of docs/semantics.md, so that a backend seeds it once. */
export const theWorld: World = {
  accounts: [
    {
      id: '1',
      verified: true,
      tokens: [
        { token: tokens.owner, scope: '/', state: 'valid' },
        { token: tokens.scoped, scope: '/photos', state: 'valid' },
        { token: tokens.expired, scope: '/', state: 'expired' },
        { token: tokens.revoked, scope: '/', state: 'revoked' },
      ],
      settings: [
        { path: '/', visibility: 'public' },
        { path: '/photos/2024', visibility: 'hidden' },
        { path: '/photos/2024/best', visibility: 'hidden' },
        { path: '/photos/2024/raw', visibility: 'private' },
        { path: '/photos/2024/raw/open.txt', visibility: 'public' },
        { path: '/photos2/withheld.jpg', visibility: 'private' },
        { path: '/private', visibility: 'private' },
        { path: '/private/shared', visibility: 'public' },
        { path: '/private/whispered', visibility: 'hidden' },
        { path: '/private/whispered/said.txt', visibility: 'public' },
        { path: '/private/diary.txt/page', visibility: 'public' },
        { path: '/private/nothing/page', visibility: 'public' },
        { path: '/not yet', visibility: 'hidden' },
      ],
      area: [
        dir('empty', 100),
        dir('odd', 101, ...oddNames.map((name, index) => file(name, index, 1000 + index))),
        dir(
          'photos',
          102,
          dir(
            '2024',
            103,
            file('beach.jpg', 2048, 1704067200),
            dir('best', 104, file('one.jpg', 1, 1)),
            dir('raw', 105, file('closed.txt', 7, 7), file('open.txt', 6, 6)),
            dir('week', 106, file('day.jpg', 3, 3)),
          ),
          file('cover.jpg', 512, 1700000000),
        ),
        dir('photos2', 107, file('other.jpg', 9, 9), file('withheld.jpg', 8, 8)),
        dir(
          'private',
          108,
          file('diary.txt', 5, 5),
          dir('shared', 109, file('note.txt', 4, 4)),
          dir('whispered', 110, file('hint.txt', 2, 2), file('said.txt', 3, 3)),
        ),
        { ...textFile('readme.txt', readmeText), last_modified: 1700000001n },
        { type: 'link', name: 'link to readme', target: 'readme.txt' },
        { type: 'link', name: 'link to photos', target: 'photos' },
        { type: 'fifo', name: 'pipe' },
        { type: 'undecodable', name: 'latin1' },
      ],
    },
    account('2', tokens.closed, [], [file('secret.txt', 1, 1)]),
    { ...account('3', tokens.unverified, [atRoot('public')], [file('a.txt', 1, 1)]), verified: false },
    account('4', tokens.lostDisk, [atRoot('public')], 'missing'),
    {
      ...account(
        '12',
        tokens.ruled,
        [atRoot('public'), { path: '/shared/.git', visibility: 'public' }],
        [
          dir('.git', 100, file('config', 1, 1)),
          file('Thumbs.DB', 1, 1),
          file('notes.tmp', 2, 2),
          file('readme', 3, 3),
          dir('shared', 100, dir('.git', 100, file('x.tmp', 4, 4)), file('a*b', 5, 5)),
        ],
      ),
      rules: [
        { pattern: '.git', visibility: 'private' },
        { pattern: '*.TMP', visibility: 'hidden' },
        { pattern: 'thumbs.?b', visibility: 'private' },
        { pattern: 'a\\*?', visibility: 'hidden' },
      ],
    },
    account('0', tokens.empty, [atRoot('hidden')], []),
    account('18446744073709551615', tokens.largestId, [atRoot('public')], [file('last.txt', 1, 1)]),
  ],
  triggers: [
    {
      id: triggers.doorbell,
      value: '{"type":"webhook","attempts":18446744073709551615,"nested":{"list":[1.0,null,true]}}',
      state: 'valid',
    },
    { id: triggers.odd, value: '{"type":""}', state: 'valid' },
    { id: triggers.expired, value: '{"type":"webhook"}', state: 'expired' },
    { id: triggers.deleted, value: '{"type":"webhook"}', state: 'deleted' },
    { id: triggers.broken, value: 'not an object', state: 'valid' },
  ],
}

/** A client with a token for the whole area, one with a token for `/photos`, and one without a token. */
export const [owner, scoped, visitor] = [byToken(tokens.owner), byToken(tokens.scoped), byUser('1')]

/** A successful request of each operation, in the order of the interface. */
export const everyOperation: ReadonlyArray<readonly [what: string, ask: Ask]> = [
  ['storage tree', owner.tree('/photos')],
  ['user content tree', visitor.tree('/photos')],
  ['storage listing', owner.items('/photos')],
  ['user content listing', visitor.items('/photos')],
  ['trigger peek', peek(triggers.doorbell)],
]

const [open, secret] = [inherited('public'), inherited('hidden')]

/** Nodes of account 1 in answers. Directories are not expanded. */
export const seen = {
  empty: shownDir('empty', 100, open),
  odd: shownDir('odd', 101, open),
  photos: shownDir('photos', 102, open),
  year: shownDir('2024', 103, own('hidden')),
  beach: shownFile('beach.jpg', 2048, 1704067200, secret),
  best: shownDir('best', 104, own('hidden')),
  one: shownFile('one.jpg', 1, 1, secret),
  raw: shownDir('raw', 105, own('private')),
  closed: shownFile('closed.txt', 7, 7, inherited('private')),
  open: shownFile('open.txt', 6, 6, own('public')),
  week: shownDir('week', 106, secret),
  day: shownFile('day.jpg', 3, 3, secret),
  cover: shownFile('cover.jpg', 512, 1700000000, open),
  photos2: shownDir('photos2', 107, open),
  other: shownFile('other.jpg', 9, 9, open),
  withheld: shownFile('withheld.jpg', 8, 8, own('private')),
  private: shownDir('private', 108, own('private')),
  diary: shownFile('diary.txt', 5, 5, inherited('private')),
  shared: shownDir('shared', 109, own('public')),
  note: shownFile('note.txt', 4, 4, open),
  whispered: shownDir('whispered', 110, own('hidden')),
  hint: shownFile('hint.txt', 2, 2, secret),
  said: shownFile('said.txt', 3, 3, own('public')),
  readme: shownFile('readme.txt', 14, 1700000001, open),
}

/** The content of `/odd`, in order. */
export const seenOdd = oddNames.map((name, index) => shownFile(name, index, 1000 + index, open))
