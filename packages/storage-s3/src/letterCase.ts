import { type Name, StoragePath } from '@canopy/domain'
import { findListed } from './levelPage.js'
import { caseIgnored, isCaseIgnored } from './page.js'
import type { S3Url } from './S3Url.js'
import { hasKeysUnder, type Store } from './store.js'

// A store over a file system that ignores case finds the directory `Secret/` for the prefix `secret/`, and spells its keys as
// in the request. A setting on `/Secret` does not apply to `/secret`.

/** Every store that ignores case ignores it for these. */
const ascii = /[a-z]/gi
/** Some stores ignore case only in ASCII. */
const allLetters = /\p{L}/gu

const otherCase = (text: string, letters = ascii): string =>
  text.replace(letters, (letter) => {
    const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
    return other.length === letter.length ? other : letter
  })

/** Reports whether a key has at least two other spellings. */
const hasTwoLetters = (key: string): boolean => (key.match(ascii)?.length ?? 0) > 1

/** Shows whether the store ignores case if no other key has letters. */
const lettersMarker = ({ prefix }: S3Url): string => `${prefix}canopy-letters/`

/** Rejects if the store finds the marker of an area, or else one with letters, by another spelling too. */
export const checkMarker = async (store: Store, url: S3Url, marker: string): Promise<void> => {
  const key = hasTwoLetters(marker) ? marker : lettersMarker(url)
  if (key !== marker) await store.put(key, '')
  if (await findsOtherCase(store, key)) throw caseIgnored(key)
}

/** Reports whether the store finds a directory of an area by another spelling too. */
export const ignoresCase = async (store: Store, url: S3Url, area: string): Promise<boolean> => {
  const { keys: listed } = await store.page({ prefix: area, oneLevel: false })
  const directories = listed.map(({ names, file }) => (file === undefined ? names : names.slice(0, -1)))
  const keys = directories.map((names) => `${area}${names.map((name) => `${name}/`).join('')}`)
  return findsOtherCase(store, keys.find(hasTwoLetters) ?? lettersMarker(url))
}

/** Requires two other spellings, because a store that distinguishes case may contain one of them. */
const findsOtherCase = async (store: Store, key: string): Promise<boolean> =>
  (await finds(store, otherCase(key))) &&
  (await finds(
    store,
    key.replace(/[a-z](?=[^a-z]*$)/i, (letter) => otherCase(letter)),
  ))

/** Reports whether the store finds a prefix. It may return the key as it was put, which is outside the requested prefix. */
const finds = async (store: Pick<Store, 'page'>, prefix: string): Promise<boolean> => {
  try {
    return await hasKeysUnder(store, prefix)
  } catch (thrown) {
    if (isCaseIgnored(thrown)) return true
    throw thrown
  }
}

/** Reports whether the directory above lists a directory under this name. */
const isListed = async (
  store: Pick<Store, 'page'>,
  area: string,
  directory: StoragePath.StoragePath,
): Promise<boolean> => {
  const above = directory.slice(1, directory.lastIndexOf('/') + 1)
  return (await findListed(store, `${area}${above}`, StoragePath.name(directory) as Name.Name)) !== undefined
}

/**
 * Reports whether the directories above a found directory list each name of its path. Lists them only while the store also
 * finds another spelling: most stores show once that they do not.
 */
export const exactDirectories = (
  store: Pick<Store, 'page'>,
): ((area: string, directory: StoragePath.StoragePath) => Promise<boolean>) => {
  /** Alphabets in which the store distinguishes case. */
  const apart = new Set<RegExp>()
  return async (area, directory) => {
    const letters = otherCase(directory) === directory ? allLetters : ascii
    const other = otherCase(directory, letters)
    if (other === directory || apart.has(ascii) || apart.has(letters)) return true
    if (!(await hasKeysUnder(store, `${area}${other.slice(1)}/`))) {
      // The other spelling may also be missing because the directory was removed.
      const isThere = await hasKeysUnder(store, `${area}${directory.slice(1)}/`)
      if (isThere) apart.add(letters)
      return isThere
    }
    for (const at of StoragePath.upwards(directory))
      if (at !== StoragePath.root && !(await isListed(store, area, at))) return false
    return true
  }
}
