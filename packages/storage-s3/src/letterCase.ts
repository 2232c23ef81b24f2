import { StoragePath } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import { emptyDirectory } from './Directory.js'
import { isCaseIgnored } from './page.js'
import { begins, type Store } from './store.js'
import { addLevel } from './subtree.js'

// A store over a file system that ignores case finds the directory `Secret/` for the prefix `secret/`, and spells its keys
// as in the request. A setting on `/Secret` does not hold for `/secret`.

/** These any store that ignores case takes for the same. */
const ascii = /[a-z]/gi
/** A store may tell other alphabets apart and these not. */
const allLetters = /\p{L}/gu

const otherCase = (text: string, letters = ascii): string =>
  text.replace(letters, (letter) => {
    const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
    return other.length === letter.length ? other : letter
  })

/** Whether a key has two other spellings at least. */
export const hasTwoLetters = (key: string): boolean => (key.match(ascii)?.length ?? 0) > 1

/**
 * Whether the store finds a key of two letters at least by other spellings too: with all letters in the other case, and with
 * the last one. A store that tells cases apart may hold one of them.
 */
export const findsOtherCase = async (store: Pick<Store, 'page'>, key: string): Promise<boolean> =>
  (await finds(store, otherCase(key))) &&
  (await finds(
    store,
    key.replace(/[a-z](?=[^a-z]*$)/i, (letter) => otherCase(letter)),
  ))

/** A store may give the key as it was put, which is outside the requested prefix. */
const finds = async (store: Pick<Store, 'page'>, prefix: string): Promise<boolean> => {
  try {
    return await begins(store, prefix)
  } catch (thrown) {
    if (isCaseIgnored(thrown)) return true
    throw thrown
  }
}

/** Whether the directory above lists a directory under this name. */
const isListed = async (
  store: Pick<Store, 'page'>,
  area: string,
  directory: StoragePath.StoragePath,
): Promise<boolean> => {
  const level = emptyDirectory()
  const above = directory.slice(1, directory.lastIndexOf('/') + 1)
  await addLevel(store, level, `${area}${above}`, O.none, undefined)
  return level.entries.some(({ name }) => name === StoragePath.name(directory))
}

/**
 * Whether a directory that the store has found is listed under this path, name by name. Lists the directories above only
 * while the store finds another spelling too: most stores show once that they do not.
 */
export const exactDirectories = (
  store: Pick<Store, 'page'>,
): ((area: string, directory: StoragePath.StoragePath) => Promise<boolean>) => {
  /** Whose cases the store has shown to tell apart. */
  const apart = new Set<RegExp>()
  return async (area, directory) => {
    const letters = otherCase(directory) === directory ? allLetters : ascii
    const other = otherCase(directory, letters)
    if (other === directory || apart.has(ascii) || apart.has(letters)) return true
    if (!(await begins(store, `${area}${other.slice(1)}/`))) {
      apart.add(letters)
      return true
    }
    for (const at of StoragePath.upwards(directory))
      if (at !== StoragePath.root && !(await isListed(store, area, at))) return false
    return true
  }
}
