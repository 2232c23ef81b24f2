import { StoragePath } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import { emptyDirectory } from './Directory.js'
import { isCaseIgnored } from './page.js'
import { begins, type Store } from './store.js'
import { addLevel } from './subtree.js'

// A store over a file system that ignores case finds the directory `Secret/` for the prefix `secret/`, and spells its keys
// as in the request. A setting on `/Secret` does not hold for `/secret`.

/** Letters of other alphabets have rules of their own: these show whether a store ignores case. */
const letters = /[a-z]/gi

const otherCase = (text: string): string =>
  text.replace(letters, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))

/** Whether a key has two other spellings at least. */
export const hasTwoLetters = (key: string): boolean => (key.match(letters)?.length ?? 0) > 1

/**
 * Whether the store finds a key of two letters at least by other spellings too: with all letters in the other case, and with
 * the last one. A store that tells cases apart may hold one of them.
 */
export const findsOtherCase = async (store: Pick<Store, 'page'>, key: string): Promise<boolean> =>
  (await finds(store, otherCase(key))) && (await finds(store, key.replace(/[a-z](?=[^a-z]*$)/i, otherCase)))

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
  let tellsCasesApart = false
  return async (area, directory) => {
    const other = otherCase(directory)
    if (tellsCasesApart || other === directory) return true
    tellsCasesApart = !(await begins(store, `${area}${other.slice(1)}/`))
    if (tellsCasesApart) return true
    for (const at of StoragePath.upwards(directory))
      if (at !== StoragePath.root && !(await isListed(store, area, at))) return false
    return true
  }
}
