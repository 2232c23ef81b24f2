import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dir, file as fileAt, type World, type WorldAccount, type WorldNode } from '@canopy/testkit'

export const token = `cnp_${'a'.repeat(42)}A`
export const scopedToken = `cnp_${'b'.repeat(42)}A`
export const deepToken = `cnp_${'d'.repeat(42)}A`
export const deepScopedToken = `cnp_${'e'.repeat(42)}A`
export const unverifiedToken = `cnp_${'c'.repeat(42)}A`
export const sharingToken = `cnp_${'f'.repeat(42)}A`
export const unknownToken = `cnp_${'z'.repeat(42)}A`
export const trigger = 'tür auf'

const threeDaysAgo = BigInt(Math.floor(Date.now() / 1000) - 3 * 86_400 - 60)
const longAgo = 1_713_182_580n

const file = (name: string, size: number, last_modified = longAgo) => fileAt(name, size, last_modified)

const directory = (name: string, ...content: ReadonlyArray<WorldNode>) => ({
  ...dir(name, ...content),
  last_modified: longAgo,
})

export const deepDirectories = [
  '',
  '/locked',
  '/locked/away',
  '/open',
  '/open/closed',
  '/open/closed/way',
  '/open/secret',
  '/open/secret/inner',
  '/open/secret/press',
]

/** In byte order. Each does harm unless treated as text. */
export const oddNames = [
  "<img src=x onerror='document.title=1'>.html",
  '__proto__',
  'constructor',
  'line\nfeed.txt',
  'right\u202egpj.exe',
  'שלום.txt',
  '🙂 smile.png',
]

const valid = (text: string, scope = '/') => ({ token: text, scope, state: 'valid' }) as const

const account = (
  id: string,
  settings: Readonly<Record<string, WorldAccount['settings'][number]['visibility']>>,
  area: WorldAccount['area'],
  more: Partial<WorldAccount> = {},
): WorldAccount => ({
  id,
  verified: true,
  tokens: [],
  settings: Object.entries(settings).map(([path, visibility]) => ({ path, visibility })),
  area,
  ...more,
})

export const photos = ['drafts', 'raw', 'IMG_2.jpg', 'IMG_10.jpg', 'invoice.pdf']
export const shownPhotos = ['raw', 'IMG_2.jpg', 'IMG_10.jpg']

/** More than a heading of 20 pixels holds beside its buttons, and a name that begins with it. */
export const longName = 'Wedding of Anna & Tom and of all that came later'
export const nestedNames = Array.from({ length: 31 }, (_, index) => `level ${index + 1} of the nest`)

/** Names that a page could show as two pieces, or reorder. */
export const wholeNames = ['empty folder', 'jpg.2024', 'notes of a long summer by the lake.txt', 'שלום עולם גדול.txt']

const nest = nestedNames.reduceRight<WorldNode>((inner, name) => directory(name, inner), file('bottom.txt', 42))

export const world: World = {
  accounts: [
    account(
      '1',
      { '/': 'public', '/diary': 'private', '/photos/drafts': 'hidden', '/photos/invoice.pdf': 'private' },
      [
        directory('diary', file('monday.txt', 1)),
        directory('empty'),
        directory('odd', ...oddNames.map((name) => file(name, 1))),
        directory(
          'photos',
          file('IMG_10.jpg', 30),
          file('IMG_2.jpg', 4_200_000, threeDaysAgo),
          directory('drafts', file('sketch.txt', 5)),
          file('invoice.pdf', 96_000),
          directory('raw', directory('deep', file('first.txt', 7))),
        ),
      ],
      { tokens: [valid(token), valid(scopedToken, '/photos')] },
    ),
    account('2', { '/': 'public' }, 'missing'),
    account('3', { '/': 'public' }, [directory('many')]),
    account('4', {}, [], { verified: false, tokens: [valid(unverifiedToken)] }),
    account(
      '5',
      {
        '/open': 'public',
        '/open/closed': 'private',
        '/open/closed/way': 'public',
        '/open/secret': 'hidden',
        '/open/secret/press': 'public',
        '/open/secret/surprise.txt': 'hidden',
      },
      [
        directory('locked', directory('away')),
        directory(
          'open',
          directory('closed', directory('way', file('out.txt', 10))),
          file('large.bin', 6_000),
          directory(
            'secret',
            directory('inner', file('note.txt', 100)),
            directory('press', file('release.txt', 2_900)),
            file('surprise.txt', 1_000),
          ),
        ),
      ],
      { tokens: [valid(deepToken), valid(deepScopedToken, '/open/secret')] },
    ),
    account(
      '6',
      { '/': 'public', '/diary': 'private' },
      [
        directory(longName, file('first.jpg', 1), file('second.dng', 2)),
        directory('diary', file('monday.txt', 1)),
        directory(
          'names',
          directory('empty folder'),
          directory('jpg.2024'),
          file('notes of a long summer by the lake.txt', 1),
          file('İSTANBUL.txt', 2),
          file('שלום עולם גדול.txt', 3),
        ),
        nest,
      ],
      { tokens: [valid(sharingToken)] },
    ),
  ],
  triggers: [
    {
      id: trigger,
      value:
        '{"type":"mail","to":["a@example.org"],"count":18446744073709551615,"__proto__":{"x":null},"text":"a\\nb"}',
      state: 'valid',
    },
  ],
}

const manyEntries = 100_000

export const nameOfMany = (index: number): string => `entry ${String(index).padStart(6, '0')}.txt`

export const seedMany = (data: string): void => {
  const many = join(data, 'areas/3/many')
  mkdirSync(many, { recursive: true })
  for (let index = 0; index < manyEntries; index += 1) writeFileSync(join(many, nameOfMany(index)), '')
}
