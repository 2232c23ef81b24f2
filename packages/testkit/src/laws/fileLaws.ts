import type { Area, OpenedFile, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { seeding } from '../seed.js'
import { dir, type FilePorts, file, type Seeded, textFile, type WorldAccount, type WorldFile } from '../World.js'
import { type Claim, describeResult, type Law, mustBe, quoteName, violationsOf, withTimeout } from './Law.js'

/** An area, and changes of its files as another program makes them. */
export interface SeededFiles extends Seeded<FilePorts> {
  readonly area: Area.Area
  /** Puts a new file in the place of a file. */
  readonly replace: (path: string, text: string) => Promise<void>
  readonly remove: (path: string) => Promise<void>
  /** Cuts a file in place. */
  readonly truncate: (path: string, size: number) => Promise<void>
  /** Writes to the end of a file. */
  readonly append: (path: string, text: string) => Promise<void>
}

/** Creates an area with exactly these nodes. */
export type SeedFiles = (nodes: WorldAccount['area']) => Promise<SeededFiles>

type FileClaim = Claim<SeededFiles>

/** Longer than any chunk, and nowhere like itself. */
const longText = Array.from({ length: 80_000 }, (_, i) => String(i).padStart(8, '0')).join('')
const long = textFile('long', longText)
const small = textFile('small', 'gr\u00fc\u00dfe\n')
const files: ReadonlyArray<WorldFile> = [file('empty', 0n), small, long, { ...file('zeros', 300n), last_modified: 9n }]

const bytesOf = ({ text, size }: WorldFile): Buffer =>
  text === undefined ? Buffer.alloc(Number(size)) : Buffer.from(text)

const open = ({ ports, area }: SeededFiles, path: string) => ports.openFile(area, path as StoragePath.StoragePath)()

interface Reading {
  readonly bytes: Buffer
  readonly failed: boolean
}

interface ReadOptions {
  readonly start?: bigint | undefined
  readonly end?: bigint | undefined
  /** Awaited once, after the first chunk. */
  readonly meanwhile?: (() => Promise<unknown>) | undefined
}

const readFrom = async (opened: OpenedFile, options: ReadOptions = {}): Promise<Reading> => {
  const { start = 0n, end = opened.size, meanwhile } = options
  const chunks: Array<Uint8Array> = []
  try {
    for await (const chunk of opened.bytes(start, end)) if (chunks.push(chunk) === 1) await meanwhile?.()
  } catch {
    return { bytes: Buffer.concat(chunks), failed: true }
  }
  return { bytes: Buffer.concat(chunks), failed: false }
}

/** Opens a file for a claim, and closes it. */
const opening =
  (path: string, claim: (opened: OpenedFile, seeded: SeededFiles) => Promise<ReadonlyArray<string>>): FileClaim =>
  async (seeded) => {
    const opened = await open(seeded, path)
    if (E.isLeft(opened)) return [`openFile ${quoteName(path)} fails with ${opened.left.error}`]
    try {
      return await claim(opened.right, seeded)
    } finally {
      await opened.right.close()
    }
  }

const unless = (holds: boolean, violation: string): ReadonlyArray<string> => (holds ? [] : [violation])

const hasBytes = (path: string, expected: Buffer, options: ReadOptions = {}): FileClaim =>
  opening(path, async (opened) => {
    const { bytes, failed } = await readFrom(opened, options)
    const range = `bytes ${options.start ?? 0n} to ${options.end ?? 'the end'} of ${quoteName(path)}`
    return unless(!failed && bytes.equals(expected), `${range} must be those of the file, without a failure`)
  })

const rangesOfLong: ReadonlyArray<readonly [bigint, bigint]> = [
  [0n, 0n],
  [0n, 1n],
  [1n, 3n],
  [4_095n, 4_097n],
  [65_535n, 65_537n],
  [100n, 300_000n],
  [long.size - 1n, long.size],
  [long.size, long.size],
]

const failsToOpen =
  (path: string, error: string): FileClaim =>
  async (seeded) => {
    const opened = await open(seeded, path)
    if (E.isRight(opened)) await opened.right.close()
    return mustBe(`openFile ${quoteName(path)}`, error, describeResult(() => 'a file')(opened))
  }

/** A change during the reading: the old bytes, or their beginning and a failure. */
const changedWhileRead = (what: string, change: (seeded: SeededFiles) => Promise<void>): FileClaim =>
  opening('/long', async (opened, seeded) => {
    const { bytes, failed } = await readFrom(opened, { meanwhile: () => change(seeded) })
    const isBeginning = Buffer.from(longText).subarray(0, bytes.length).equals(bytes)
    return [
      ...unless(isBeginning, `a file that is ${what} must give no other bytes than its old ones`),
      ...unless(failed || bytes.length === longText.length, `a file that is ${what} must be cut with a failure`),
    ]
  })

const versionIsOfBytes: FileClaim = async (seeded) => {
  const versionOf = async () => {
    const opened = await open(seeded, '/small')
    if (E.isRight(opened)) await opened.right.close()
    return E.isRight(opened) ? opened.right.version : opened.left.error
  }
  const [first, second] = [await versionOf(), await versionOf()]
  await seeded.replace('/small', (small.text ?? '').toUpperCase())
  return [
    ...unless(/^[\w.~-]+$/.test(first), `the version ${first} must be of URL-safe characters`),
    ...unless(first === second, 'the version must stay while the file stays'),
    ...unless((await versionOf()) !== first, 'the version must differ after other bytes of the same length'),
  ]
}

const readAtOnce: FileClaim = opening('/long', (one, seeded) =>
  opening('/small', async (other) => {
    const [first, second] = await Promise.all([readFrom(one), readFrom(other)])
    return [
      ...unless(first.bytes.equals(bytesOf(long)), 'a file must have its own bytes beside another'),
      ...unless(second.bytes.equals(bytesOf(small)), 'the other file must have its own bytes'),
    ]
  })(seeded),
)

const endsWhenClosed: FileClaim = opening('/long', async (opened) => {
  const { bytes } = await readFrom(opened, { meanwhile: () => opened.close() })
  return unless(bytes.length < longText.length, 'a reading must end when its file is closed')
})

const staysClosed: FileClaim = opening('/long', async (opened) => {
  await opened.close()
  await opened.close()
  return unless((await readFrom(opened)).bytes.length === 0, 'a closed file must give no bytes')
})

const fileLaw = (name: string, nodes: WorldAccount['area'], claims: ReadonlyArray<FileClaim>): Law<SeedFiles> => ({
  name,
  violations: async (seed) => {
    const seeded = await seeding(`the law "${name}"`, () => seed(nodes))
    try {
      const openFile = withTimeout(seeded.ports.openFile, (_, path) => `openFile ${quoteName(path)}`)
      return await violationsOf(claims, { ...seeded, ports: { openFile } })
    } finally {
      await seeded.close()
    }
  },
})

/** The contract of the port of files. */
export const fileLaws: ReadonlyArray<Law<SeedFiles>> = [
  fileLaw(
    'an open file has its size and its bytes',
    [...files, dir('d', small)],
    [
      ...files.flatMap((each) => [
        hasBytes(`/${each.name}`, bytesOf(each)),
        opening(`/${each.name}`, async ({ size }) => mustBe('the size', `${each.size}`, `${size}`)),
      ]),
      hasBytes('/d/small', bytesOf(small)),
    ],
  ),
  fileLaw(
    'a range has the bytes from its start up to its end',
    [long],
    rangesOfLong.map(([start, end]) =>
      hasBytes('/long', bytesOf(long).subarray(Number(start), Number(end)), { start, end }),
    ),
  ),
  fileLaw(
    'only files open',
    [
      small,
      dir('d', small),
      { type: 'link', name: 'link', target: 'small' },
      { type: 'link', name: 'to-d', target: 'd' },
      { type: 'fifo', name: 'pipe' },
    ],
    [
      ...['/', '/d', '/small/x', '/d/small/x'].map((path) => failsToOpen(path, 'type mismatch')),
      ...['/no', '/no/x', '/d/no', '/link', '/to-d/small', '/pipe'].map((path) => failsToOpen(path, 'file not found')),
    ],
  ),
  fileLaw(
    'an area without a root is `external`',
    'missing',
    ['/', '/small'].map((path) => failsToOpen(path, 'external')),
  ),
  fileLaw('files that are read at once do not mix', [long, small], [readAtOnce]),
  fileLaw('the version of a file is that of its bytes', [small], [versionIsOfBytes]),
  fileLaw(
    'a file that is replaced while it is read never mixes with the new one',
    [long],
    [changedWhileRead('replaced', ({ replace }) => replace('/long', longText.replaceAll('0', 'x')))],
  ),
  fileLaw(
    'a file that is cut while it is read is never padded',
    [long],
    [changedWhileRead('cut', ({ truncate }) => truncate('/long', 10))],
  ),
  fileLaw(
    'a file that grows while it is read keeps its size',
    [long],
    [changedWhileRead('grown', ({ append }) => append('/long', longText))],
  ),
  fileLaw(
    'a file that is removed while it is read gives its bytes, or fails',
    [long],
    [changedWhileRead('removed', ({ remove }) => remove('/long'))],
  ),
  fileLaw('a reading ends when its file is closed', [long], [endsWhenClosed]),
  fileLaw('a closed file gives no bytes, and may be closed again', [long], [staysClosed]),
]
