import { type Entry, type Listing, listPages, type StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { type ChangingStorage, dir, file, type SeedStorage } from '../World.js'
import { type Claim, describeResult, type Law, mustBe, quoteName } from './Law.js'
import { list, nodeAt, page, unless } from './storageClaims.js'
import { storageLaw } from './storageLaws.js'

type ChangeClaim = Claim<ChangingStorage>

/** Without its time: an object store chooses the times of its objects. */
const describeNode = (node: Entry.Node): string => (node.type === 'dir' ? 'dir' : `file of ${node.size} bytes`)

const describeListing = ({ entries }: Pick<Listing.Listing, 'entries'>): string =>
  Array.from(entries, (entry) => `${entry.name} (${describeNode(entry)})`).join(', ')

const nodes = [
  file('a', 1n),
  file('kept', 2n),
  dir('d', file('a', 3n), dir('e', file('x', 4n), file('y', 5n)), file('kept', 6n)),
]

const paths = ['/', '/a', '/d', '/d/a', '/d/e', '/d/e/x', '/d/new', '/d/new/x']

/**
 * Warms any cache of the storage, makes the change, and compares the answers. `expected` has them by port and path, such as
 * `list /d`.
 */
const afterChange =
  (
    path: string,
    node: Parameters<ChangingStorage['change']>[1],
    expected: Readonly<Record<string, string>>,
  ): ChangeClaim =>
  async (seeded) => {
    for (const each of paths) {
      await nodeAt(seeded, each)
      await list(seeded, each)
    }
    await seeded.change(path, node)
    const violations: Array<string> = []
    for (const [asked, answer] of Object.entries(expected)) {
      const [port, at = ''] = asked.split(' ')
      const found =
        port === 'list'
          ? describeResult(describeListing)(await list(seeded, at))
          : describeResult(describeNode)(await nodeAt(seeded, at))
      violations.push(...mustBe(`${port} ${quoteName(at)} after a change of ${quoteName(path)}`, answer, found))
    }
    return violations
  }

/** Creates the tasks before the change, runs them after it, and once more after a second change. */
const readsWhenItRuns: ChangeClaim = async ({ ports, area, change }) => {
  const [nodeTask, listTask] = [
    ports.nodeAt(area, '/d/a' as StoragePath.StoragePath),
    ports.list(area, '/d' as StoragePath.StoragePath),
  ]
  const violations: Array<string> = []
  for (const size of [7n, 8n]) {
    await change('/d/a', file('a', size))
    const [node, listing] = [await nodeTask(), await listTask()]
    const listed = E.isRight(listing) ? listing.right.entries.at(0) : undefined
    violations.push(
      ...mustBe('a task of nodeAt, run after a change,', `file of ${size} bytes`, describeResult(describeNode)(node)),
      ...mustBe(
        'a task of list, run after a change,',
        `file of ${size} bytes`,
        listed === undefined ? 'nothing' : describeNode(listed),
      ),
    )
  }
  return violations
}

/** Lists while an entry goes and comes. */
const vanishesDuringListing: ChangeClaim = async (seeded) => {
  const violations: Array<string> = []
  for (const node of [undefined, file('a', 9n), undefined, file('a', 3n), undefined]) {
    const [listing] = await Promise.all([page(seeded, '/d'), seeded.change('/d/a', node)])
    const found = describeResult(describeListing)(listing)
    violations.push(
      ...unless(
        // 0 bytes: created, but not written yet.
        /^(a \(file of [039] bytes\), )?e \(dir\), kept \(file of 6 bytes\)$/.test(found),
        `list "/d" while "/d/a" changes must have the other entries, but was ${found}`,
      ),
    )
  }
  return violations
}

const numbered = Array.from({ length: 30 }, (_, i) => file(`n${String(i).padStart(2, '0')}`, BigInt(i)))

/** Removes a name on the first page, and continues after it. */
const pagesContinueAfterRemoval: ChangeClaim = async (seeded) => {
  const { ports, area, change } = seeded
  const first = await page(seeded, '/p', { minEntries: 5 })
  if (E.isLeft(first)) return [`list "/p" fails with ${first.left.error}`]
  const shown = Array.from(first.right.entries, ({ name }) => name as string)
  const after = shown.at(9) ?? shown.at(-1) ?? ''
  await change(`/p/${after}`, undefined)
  const rest = await listPages(area, '/p' as StoragePath.StoragePath, { after, minEntries: 5 })(ports)()
  if (E.isLeft(rest)) return [`list "/p" after ${quoteName(after)} fails with ${rest.left.error}`]
  const found = rest.right.flatMap(({ entries }) => Array.from(entries, ({ name }) => name as string))
  const expected = numbered.map(({ name }) => name).filter((name) => name > after)
  return mustBe(
    `pages of "/p" after ${quoteName(after)}, which is removed,`,
    expected.join(),
    // A page may begin before `after`.
    found.filter((name) => name > after).join(),
  )
}

const law = (name: string, claims: ReadonlyArray<ChangeClaim>, area = nodes): Law<SeedStorage<ChangingStorage>> =>
  storageLaw<ChangingStorage>(name, area, claims)

/** The contract of the storage ports while other programs change the storage. */
export const changeLaws: ReadonlyArray<Law<SeedStorage<ChangingStorage>>> = [
  law('a port reads the storage when its task runs, and again in each run', [readsWhenItRuns]),
  law('a changed file has its new size', [
    afterChange('/d/a', file('a', 70n), {
      'nodeAt /d/a': 'file of 70 bytes',
      'list /d': 'a (file of 70 bytes), e (dir), kept (file of 6 bytes)',
    }),
  ]),
  law('a new node is found and listed', [
    afterChange('/d/new', dir('new', file('x', 8n)), {
      'nodeAt /d/new': 'dir',
      'nodeAt /d/new/x': 'file of 8 bytes',
      'list /d/new': 'x (file of 8 bytes)',
      'list /d': 'a (file of 3 bytes), e (dir), kept (file of 6 bytes), new (dir)',
    }),
  ]),
  law('a removed node is `file not found`, and not listed', [
    afterChange('/d/e', undefined, {
      'nodeAt /d/e': 'file not found',
      'nodeAt /d/e/x': 'file not found',
      'list /d/e': 'file not found',
      'list /d': 'a (file of 3 bytes), kept (file of 6 bytes)',
    }),
  ]),
  law('a file that replaces a directory is a file', [
    afterChange('/d/e', file('e', 9n), {
      'nodeAt /d/e': 'file of 9 bytes',
      'nodeAt /d/e/x': 'type mismatch',
      'list /d/e': 'type mismatch',
      'list /d': 'a (file of 3 bytes), e (file of 9 bytes), kept (file of 6 bytes)',
    }),
  ]),
  law('an entry that vanishes during a listing hides no other entry', [vanishesDuringListing]),
  law('pages continue after a name that is removed', [pagesContinueAfterRemoval], [dir('p', ...numbered)]),
]
