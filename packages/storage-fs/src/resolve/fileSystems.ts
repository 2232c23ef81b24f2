// The kinds of file systems, and what finds a node by another spelling of its name.
import { lstatSync, statfsSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { Failure, type StoragePath } from '@canopy/domain'
import { singleFlight } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'

/**
 * How a file system may find a node by another spelling of its name. `by case`: in some directories, or nowhere; `as its
 * layers`: as another file system does, which may be of any kind.
 */
export type Folding = 'never' | 'by case' | 'as its layers' | 'in any way'

export interface Kind {
  /** As `/proc/self/mountinfo` names it. */
  readonly names: ReadonlyArray<string>
  /** As statfs(2) reports it. */
  readonly magic: number
  readonly folding: Folding
  /** A directory says less of its size than it holds. */
  readonly hidesSize?: true
  /** A directory that is rolled back has the device, the inode and the birth time that it had before. */
  readonly rollsBack?: true
}

/** Those that no other machine changes without this kernel, and that answer as long as their disk does. */
const local: ReadonlyArray<Kind> = [
  { names: ['ext2', 'ext3', 'ext4'], magic: 0xef53, folding: 'by case' },
  { names: ['xfs'], magic: 0x58465342, folding: 'by case' },
  { names: ['btrfs'], magic: 0x9123683e, folding: 'never', rollsBack: true },
  { names: ['zfs'], magic: 0x2fc12fc1, folding: 'in any way' },
  { names: ['f2fs'], magic: 0xf2f52010, folding: 'by case' },
  { names: ['tmpfs'], magic: 0x01021994, folding: 'by case' },
  { names: ['overlay'], magic: 0x794c7630, folding: 'as its layers', hidesSize: true },
]

const byMagic = new Map(local.map((kind) => [kind.magic, kind]))
/** As `/proc/self/mountinfo` names them. */
export const localNames: ReadonlySet<string> = new Set(local.flatMap(({ names }) => names))

/** Of the file system at a path, by a look at it; `undefined` for one of no local kind. Throws what `node:fs` throws. */
export const kindAt = (path: string): Kind | undefined => byMagic.get(statfsSync(path).type)

/** Throws what `node:fs` throws. */
export const foldingAt = (path: string): Folding => kindAt(path)?.folding ?? 'in any way'

// ASCII first: some file systems fold nothing else. The others are letters of two bytes in either case.
const letters = [
  /[A-Za-z]/,
  /[\u00c0-\u00d6\u00d8-\u00de\u00e0-\u00f6\u00f8-\u00fe\u0391-\u03a1\u03a3-\u03a9\u03b1-\u03c1\u03c3-\u03c9\u0400-\u045f]/,
]

const swapped = (letter: string): string =>
  letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()

/** The same name with one letter in the other case; `undefined` when it has no such letter. */
export const otherCase = (name: string): string | undefined => {
  for (const letter of letters) {
    const at = name.search(letter)
    if (at !== -1) return name.slice(0, at) + swapped(name.charAt(at)) + name.slice(at + 1)
  }
  return undefined
}

/** What may be another spelling without a letter in the other case: Unicode form, a short alias, a dot or blank at the end. */
const otherSpelling = /[^\0-\x7f]|~|[. ]$/

/** Whether a directory compares the bytes of a name, for all that can be known without reading the names in it. */
const comparesBytes = (directory: string, name: string, folding: Folding): boolean => {
  if (folding === 'in any way' || (folding === 'as its layers' && otherSpelling.test(name))) return false
  const other = otherCase(name)
  return other === undefined
    ? !/[^\0-\x7f]/.test(name)
    : lstatSync(`${directory}/${other}`, { throwIfNoEntry: false }) === undefined
}

/** A name of a path, and a way to the directory that should list it. */
interface Step {
  readonly directory: string
  readonly name: string
}

/**
 * The names of a path that only the listing of their directory can confirm: the node may have been found by another
 * spelling. From the last name up, each in the directory that holds the node now: a path from the root may lead elsewhere.
 *
 * @param area the directory of the area, absolute
 * @param dev the file system of the node
 * @param last a way to the directory that holds the node, which is held
 */
export const unsureNames = (
  area: string,
  path: StoragePath.StoragePath,
  dev: bigint,
  last: string,
): ReadonlyArray<Step> => {
  // A path that begins and ends on one file system is assumed not to leave it on the way.
  const onlyFolding = dev === statSync(area, { bigint: true }).dev ? foldingAt(area) : undefined
  if (onlyFolding === 'never') return []
  const steps: Array<Step> = []
  let directory = last
  for (let end = path.length, slash = 0; end > 1; end = slash) {
    slash = path.lastIndexOf('/', end - 1)
    const name = path.slice(slash + 1, end)
    const folding = onlyFolding ?? foldingAt(directory)
    if (folding !== 'never' && !comparesBytes(directory, name, folding)) steps.push({ directory, name })
    directory += '/..'
  }
  return steps
}

const namesOf = singleFlight<ReadonlySet<string>>()

/** Read once for all who ask about the same directory before that begins. */
const isListed = async ({ directory, name }: Step): Promise<boolean> => {
  const { dev, ino } = statSync(directory, { bigint: true })
  const names = await namesOf(`${dev}:${ino}`, () => {
    const answer = readdir(directory, { encoding: 'latin1' }).then((listed) => new Set(listed))
    return { answer, end: answer }
  })
  return names.has(Buffer.from(name).toString('latin1'))
}

/**
 * What is read of a node when its directories list these names, byte for byte; else `file not found`. Where a file system
 * ignores case, say, no setting is found by another spelling. Rejects when a directory cannot be read.
 */
export const whereListed = async <A>(
  unsure: ReadonlyArray<Step>,
  read: () => Promise<E.Either<Failure.OfStorage, A>>,
): Promise<E.Either<Failure.OfStorage, A>> => {
  const listed = await Promise.all(unsure.map(isListed))
  return listed.every((is) => is) ? read() : E.left(Failure.fileNotFound)
}
