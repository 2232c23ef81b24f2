import { lstatSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import type { StoragePath } from '@canopy/domain'
import { singleFlight } from '@canopy/scheduling'
import { type Folding, foldingAt } from './fileSystems.js'

/** A name of a path that needs confirmation by the listing of its directory: another spelling may have found the node. */
interface UnsureName {
  /** A path to the directory. */
  readonly directory: string
  readonly name: string
}

/**
 * Returns the unsure names of a path. Goes up from the pinned directory by `..`, because the path from the root down may lead
 * elsewhere by now.
 *
 * @param area the absolute directory of the area
 * @param dev the device of the node
 * @param last a path to the pinned directory that contains the node
 */
export const unsureNames = (
  area: string,
  path: StoragePath.StoragePath,
  dev: bigint,
  last: string,
): ReadonlyArray<UnsureName> => {
  // A path that begins and ends on one file system is assumed to stay on it.
  const onlyFolding = dev === statSync(area, { bigint: true }).dev ? foldingAt(area) : undefined
  if (onlyFolding === 'never') return []
  const unsure: Array<UnsureName> = []
  let directory = last
  for (let end = path.length, slash = 0; end > 1; end = slash) {
    slash = path.lastIndexOf('/', end - 1)
    const name = path.slice(slash + 1, end)
    const folding = onlyFolding ?? foldingAt(directory)
    if (folding !== 'never' && !comparesBytes(directory, name, folding)) unsure.push({ directory, name })
    directory += '/..'
  }
  return unsure
}

/** Names with a second spelling that differs in more than case: in Unicode form, a short alias, or a dot or blank at the end. */
const otherSpelling = /[^\0-\x7f]|~|[. ]$/

/** Reports whether it is certain, without reading the listing, that no other spelling of a name finds its node. */
const comparesBytes = (directory: string, name: string, folding: Folding): boolean => {
  if (folding === 'in any way' || (folding === 'as its layers' && otherSpelling.test(name))) return false
  const other = otherCase(name)
  return other === undefined
    ? !/[^\0-\x7f]/.test(name)
    : lstatSync(`${directory}/${other}`, { throwIfNoEntry: false }) === undefined
}

// ASCII first, because some file systems fold only ASCII. The others are letters of two bytes in either case.
const letters = [
  /[A-Za-z]/,
  /[\u00c0-\u00d6\u00d8-\u00de\u00e0-\u00f6\u00f8-\u00fe\u0391-\u03a1\u03a3-\u03a9\u03b1-\u03c1\u03c3-\u03c9\u0400-\u045f]/,
]

const swapped = (letter: string): string =>
  letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()

/** Returns the same name with one letter in the other case; `undefined` if it has no such letter. */
export const otherCase = (name: string): string | undefined => {
  for (const letter of letters) {
    const index = name.search(letter)
    if (index !== -1) return name.slice(0, index) + swapped(name.charAt(index)) + name.slice(index + 1)
  }
  return undefined
}

const namesOf = singleFlight<ReadonlySet<string>>()

/** Concurrent callers for the same directory share one listing. */
const isListed = async ({ directory, name }: UnsureName): Promise<boolean> => {
  const { dev, ino } = statSync(directory, { bigint: true })
  const names = await namesOf(`${dev}:${ino}`, () =>
    readdir(directory, { encoding: 'latin1' }).then((listed) => new Set(listed)),
  )
  return names.has(Buffer.from(name).toString('latin1'))
}

/**
 * Reports whether the directories list these names byte for byte. If not, the node is `file not found`: otherwise another spelling
 * of a path would bypass its settings. Rejects if a directory cannot be read.
 */
export const areListed = async (unsure: ReadonlyArray<UnsureName>): Promise<boolean> =>
  (await Promise.all(unsure.map(isListed))).every((listed) => listed)
