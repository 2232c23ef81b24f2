// What reads a directory, in whatever process. JavaScript, since a process starts from a file that Node can run as it is.
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync } from 'node:fs'
import { modifiedSeconds } from './modifiedSeconds.mjs'

/** @typedef {import('./readerMessages.js').Found} Found */
/** @typedef {import('./readerMessages.js').Trouble} Trouble */
/** @typedef {import('./OpenDirectory.js').OpenDirectory} OpenDirectory */
/** @typedef {import('./OpenDirectory.js').Repeating} Repeating */

/** As the domain packs it; here nothing of it is loaded. */
const directorySize = 2n ** 64n - 1n

/** So many entries are looked at within a millisecond; where each look fails, within three. */
export const partLength = 256

const options = /** @type {const} */ ({ bigint: true, throwIfNoEntry: false })

/**
 * @param {unknown} thrown by a call of `node:fs`
 * @returns {Trouble}
 */
export const troubleOf = (thrown) => {
  const { code = '', message } = /** @type {NodeJS.ErrnoException} */ (thrown)
  return { code, message }
}

/**
 * The names in a directory in byte order, each once, each byte a character: exact for every name, ordered as bytes by
 * JavaScript's own order, and several times cheaper than a Buffer each. Some file systems return a name twice, such as one
 * that is renamed while they are read.
 *
 * @param {string} directory
 * @returns {ReadonlyArray<string>}
 */
export const namesIn = (directory) =>
  readdirSync(directory, { encoding: 'latin1' })
    .sort()
    .filter((name, at, names) => name !== names[at - 1])

/**
 * Looks at the next names from `from` on, as many as make a part. What has vanished since the names were read is left
 * out (`vanished` is called then), and so is what is neither file nor directory. What cannot be looked at is named: whether
 * the listing is whole without it depends on who asks.
 *
 * @param {string} directory
 * @param {ReadonlyArray<string>} all
 * @param {number} from
 * @param {() => void} vanished
 * @returns {Found}
 */
const partOf = (directory, all, from, vanished) => {
  const candidates = all.slice(from, from + partLength)
  const numbers = new BigUint64Array(candidates.length * 2)
  /** @type {Array<string>} */
  const names = []
  /** @type {Array<string>} */
  const unknown = []
  /** @type {Trouble | undefined} */
  let trouble
  let otherNames = false
  let unlistable = 0
  for (const name of candidates) {
    const isAscii = !/[^\0-\x7f]/.test(name)
    const bytes = isAscii ? undefined : Buffer.from(name, 'latin1')
    if (bytes !== undefined && !isUtf8(bytes)) {
      unlistable += 1
      continue
    }
    const path = `${directory}/${bytes?.toString() ?? name}`
    let stats
    try {
      stats = lstatSync(path, options)
    } catch (thrown) {
      unknown.push(name)
      trouble ??= troubleOf(thrown)
      continue
    }
    if (stats === undefined) {
      vanished()
      continue
    }
    const at = names.length
    if (stats.isFile()) {
      numbers[2 * at] = stats.size
      if (stats.nlink > 1n) otherNames = true
    } else if (stats.isDirectory()) {
      numbers[2 * at] = directorySize
    } else continue
    numbers[2 * at + 1] = modifiedSeconds(stats, lstatSync, path)
    names.push(name)
  }
  return {
    names: names.join('/'),
    numbers,
    count: names.length,
    otherNames,
    unlistable,
    unknown: trouble && { names: unknown.join('/'), trouble },
  }
}

// Who changes a directory all the time is not waited for: so many readings, or more of them while they are short; and never
// longer than the most. Who also renames in it is waited for twice as long: what is written to all the time is told of
// several moments at the worst, but between two readings of the same names none was missed.
const manyReadings = 8
const shortMs = 20
const mostMs = 200

const newDigest = () => createHash('sha256')

/**
 * A directory that is about to be read: once, or until two readings in succession tell the same. That is what it held at
 * the moment between them.
 *
 * @param {string} directory
 * @param {boolean} untilAtRest
 * @returns {OpenDirectory}
 */
export const opened = (directory, untilAtRest) => ({
  directory,
  names: undefined,
  at: 0,
  parts: [],
  repeating: untilAtRest
    ? {
        digest: newDigest(),
        names: newDigest(),
        missesSome: false,
        before: undefined,
        readings: 0,
        began: undefined,
      }
    : undefined,
})

/**
 * Whether what was read tells the same as the reading before it, or there is no time for another.
 *
 * @param {Repeating} repeating
 * @returns {boolean}
 */
const isEnough = (repeating) => {
  const { before, began = 0, digest, names } = repeating
  // What misses an entry, told twice, would be no state of the directory: each time another one may have been renamed.
  const told = repeating.missesSome ? undefined : { all: digest.digest('hex'), names: names.digest('hex') }
  repeating.digest = newDigest()
  repeating.names = newDigest()
  repeating.missesSome = false
  repeating.before = told
  repeating.readings += 1
  if (repeating.readings === 1) return false
  if (told !== undefined && told.all === before?.all) return true
  const patience = told !== undefined && told.names === before?.names ? 1 : 2
  const longestMs = repeating.readings < patience * manyReadings ? mostMs : shortMs
  return performance.now() - began > patience * longestMs
}

/**
 * Reads the next part of it.
 *
 * @param {OpenDirectory} open
 * @returns {boolean} whether it was the last; if not, and there are no parts any more, it begins anew
 */
export const readOn = (open) => {
  const { directory, repeating } = open
  if (repeating !== undefined) repeating.began ??= performance.now()
  open.names ??= namesIn(directory)
  const part = partOf(directory, open.names, open.at, () => {
    if (repeating !== undefined) repeating.missesSome = true
  })
  const told = `${part.names}\0${part.unknown?.names ?? ''}\0${part.unlistable}\0`
  repeating?.names.update(told)
  repeating?.digest.update(told).update(part.numbers)
  open.parts.push(part)
  open.at += partLength
  if (open.at < open.names.length) return false
  if (repeating === undefined || isEnough(repeating)) return true
  open.names = undefined
  open.at = 0
  open.parts = []
  return false
}
