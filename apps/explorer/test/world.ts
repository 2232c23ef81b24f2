// The accounts and files of the tests.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { World } from '@canopy/testkit'

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

const file = (name: string, size: bigint, last_modified = longAgo) =>
  ({ type: 'file', name, size, last_modified }) as const

type Directory = Extract<Exclude<World['accounts'][number]['area'], 'missing'>[number], { readonly type: 'dir' }>

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

const directory = (name: string, content: Directory['content'] = []): Directory => ({
  type: 'dir',
  name,
  last_modified: longAgo,
  content,
})

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

const token_ = (text: string, scope = '/') => ({ token: text, scope, state: 'valid' }) as const

export const photos = ['drafts', 'raw', 'IMG_2.jpg', 'IMG_10.jpg', 'invoice.pdf']
export const shownPhotos = ['raw', 'IMG_2.jpg', 'IMG_10.jpg']

/** More than a heading of 20 pixels holds beside its buttons, and a name that begins with it. */
export const longName = 'Wedding of Anna & Tom and of all that came later'
export const nestedNames = Array.from({ length: 31 }, (_, index) => `level ${index + 1} of the nest`)

/** Names that a page could show as two pieces, or reorder. */
export const wholeNames = ['empty folder', 'jpg.2024', 'notes of a long summer by the lake.txt', 'שלום עולם גדול.txt']

/** A chain of directories around a file. */
const nest: Directory = nestedNames.reduceRight(
  (inner, name): Directory => directory(name, [inner ?? file('bottom.txt', 42n)]),
  undefined as Directory | undefined,
) as Directory

export const world: World = {
  accounts: [
    {
      id: '1',
      verified: true,
      tokens: [token_(token), token_(scopedToken, '/photos')],
      settings: [
        { path: '/', visibility: 'public' },
        { path: '/diary', visibility: 'private' },
        { path: '/photos/drafts', visibility: 'hidden' },
        { path: '/photos/invoice.pdf', visibility: 'private' },
      ],
      area: [
        directory('diary', [file('monday.txt', 1n)]),
        directory('empty'),
        directory(
          'odd',
          oddNames.map((name) => file(name, 1n)),
        ),
        directory('photos', [
          file('IMG_10.jpg', 30n),
          file('IMG_2.jpg', 4_200_000n, threeDaysAgo),
          directory('drafts', [file('sketch.txt', 5n)]),
          file('invoice.pdf', 96_000n),
          directory('raw', [directory('deep', [file('first.txt', 7n)])]),
        ]),
      ],
    },
    { id: '2', verified: true, tokens: [], settings: [{ path: '/', visibility: 'public' }], area: 'missing' },
    { id: '3', verified: true, tokens: [], settings: [{ path: '/', visibility: 'public' }], area: [directory('many')] },
    {
      id: '5',
      verified: true,
      tokens: [token_(deepToken), token_(deepScopedToken, '/open/secret')],
      settings: [
        { path: '/open', visibility: 'public' },
        { path: '/open/closed', visibility: 'private' },
        { path: '/open/closed/way', visibility: 'public' },
        { path: '/open/secret', visibility: 'hidden' },
        { path: '/open/secret/press', visibility: 'public' },
        { path: '/open/secret/surprise.txt', visibility: 'hidden' },
      ],
      area: [
        directory('locked', [directory('away')]),
        directory('open', [
          directory('closed', [directory('way', [file('out.txt', 10n)])]),
          file('large.bin', 6_000n),
          directory('secret', [
            directory('inner', [file('note.txt', 100n)]),
            directory('press', [file('release.txt', 2_900n)]),
            file('surprise.txt', 1_000n),
          ]),
        ]),
      ],
    },
    {
      id: '6',
      verified: true,
      tokens: [token_(sharingToken)],
      settings: [
        { path: '/', visibility: 'public' },
        { path: '/diary', visibility: 'private' },
      ],
      area: [
        directory(longName, [file('first.jpg', 1n), file('second.dng', 2n)]),
        directory('diary', [file('monday.txt', 1n)]),
        directory('names', [
          directory('empty folder'),
          directory('jpg.2024'),
          file('notes of a long summer by the lake.txt', 1n),
          file('İSTANBUL.txt', 2n),
          file('שלום עולם גדול.txt', 3n),
        ]),
        nest,
      ],
    },
    { id: '4', verified: false, tokens: [token_(unverifiedToken)], settings: [], area: [] },
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

export const manyEntries = 100_000

export const nameOfMany = (index: number): string => `entry ${String(index).padStart(6, '0')}.txt`

export const seedMany = (data: string): void => {
  const many = join(data, 'areas/3/many')
  mkdirSync(many, { recursive: true })
  for (let index = 0; index < manyEntries; index += 1) writeFileSync(join(many, nameOfMany(index)), '')
}

/** In memory, because the sizes exceed the disk. */
export const largest: World = {
  accounts: [
    {
      id: '18446744073709551615',
      verified: true,
      tokens: [],
      settings: [{ path: '/', visibility: 'public' }],
      area: [file('a.bin', 2n ** 64n - 1n, 2n ** 53n + 1n), file('b.bin', 2n ** 53n + 1n), file('c.bin', 999_950n)],
    },
  ],
  triggers: [],
}
