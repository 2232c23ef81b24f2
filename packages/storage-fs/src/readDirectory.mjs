// What reads a directory, in whatever process. JavaScript, since a process starts from a file that Node can run as it is.
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync } from 'node:fs'

/** @typedef {import('./readers.js').Found} Found */
/** @typedef {import('./readers.js').Trouble} Trouble */

/** As the domain packs it; here nothing of it is loaded. */
const directorySize = 2n ** 64n - 1n

/** As many entries are looked at within a millisecond; where each look fails, within three. */
export const partLength = 256

/** The latest second that Linux can hold. */
const latest = 2n ** 63n - 1n

/**
 * When a node was modified, in whole seconds since 1970, at least 0. Node passes seconds through a double: above 2^53 they
 * are rounded, and those that round to 2^63 arrive as -2^63. Only then does `look` read the node once more, without
 * bigints, which keeps the sign.
 *
 * @param {Pick<import('node:fs').BigIntStats, 'mtimeNs'>} stats
 * @param {(path: string) => { readonly mtimeMs: number }} look
 * @param {string} path of the same node
 * @returns {bigint}
 */
export const modifiedSeconds = ({ mtimeNs }, look, path) => {
  // Truncated, not floored: the two differ only before 1970, which is 0 either way.
  const seconds = mtimeNs / 1_000_000_000n
  if (seconds >= 0n) return seconds
  // The nanoseconds are added to -2^63.
  if (seconds > 1n - latest) return 0n
  try {
    return look(path).mtimeMs > 0 ? latest : 0n
  } catch {
    return 0n
  }
}

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
 * Looks at the names of a part. What has vanished since the names were read is left out (`vanished` is called then), and so
 * is what is neither file nor directory. What cannot be looked at is named: whether the listing is whole without it depends
 * on who asks.
 *
 * @param {string} directory
 * @param {ReadonlyArray<string>} candidates
 * @param {() => void} vanished
 * @returns {Found}
 */
const partOf = (directory, candidates, vanished) => {
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

// A directory that changes all the time is not waited for: as many readings, or more of them while they are short; and never
// longer than the most. One in which names change too is waited for twice as long: files that are written to all the time are
// of several moments at the worst, but between two readings of the same names none was missed.
const manyReadings = 8
const shortMs = 20
const mostMs = 200

/**
 * A part of a reading.
 *
 * @typedef {object} Step
 * @property {Found} part
 * @property {boolean} isFirst whether it begins the directory again: what came before is void
 * @property {boolean} isLast
 * @property {number} left how many names are still to be looked at
 */

/**
 * Reads a directory part by part: once, or until two readings in succession find the same. That is what it held at the
 * moment between them: a snapshot.
 *
 * @param {{ directory: string }} at a path that leads to it, perhaps another one for each part
 * @param {boolean} isSnapshot
 * @returns {Generator<Step, void, void>}
 */
export function* readingOf(at, isSnapshot) {
  const began = performance.now()
  /** @type {{ all: string, names: string } | undefined} */
  let before
  for (let readings = 1; ; readings += 1) {
    const all = createHash('sha256')
    const names = createHash('sha256')
    let missesSome = false
    // What misses an entry, found twice, would be no state of the directory: each time another one may have been renamed.
    const isEnough = () => {
      const found = missesSome ? undefined : { all: all.digest('hex'), names: names.digest('hex') }
      const isSame = found !== undefined && found.all === before?.all
      const patience = found !== undefined && found.names === before?.names ? 1 : 2
      before = found
      if (readings === 1 || isSame) return isSame
      const longestMs = readings < patience * manyReadings ? mostMs : shortMs
      return performance.now() - began > patience * longestMs
    }
    const listed = namesIn(at.directory)
    for (let from = 0; from === 0 || from < listed.length; from += partLength) {
      const left = Math.max(0, listed.length - from - partLength)
      const part = partOf(at.directory, listed.slice(from, from + partLength), () => {
        missesSome = true
      })
      if (isSnapshot) {
        const text = `${part.names}\0${part.unknown?.names ?? ''}\0${part.unlistable}\0`
        names.update(text)
        all.update(text).update(part.numbers)
      }
      const isLast = left === 0 && (!isSnapshot || isEnough())
      yield { part, isFirst: from === 0, isLast, left }
      if (isLast) return
    }
  }
}

/**
 * Which of several jobs goes on next. Half of the time goes to the one of which least is left, so that none waits for a large
 * one; the other half to the one that came first, so that large ones end one after the other, and not all of them at the very
 * end. Of those that have not begun (`left` is not known) the last one begins first: a small one that has just come does not
 * wait until all before it have begun.
 *
 * @template {{ readonly left: number | undefined }} J
 * @param {(job: J) => boolean} goOn does a piece of it; whether that was the last
 * @param {number} few how much may be left of a job that goes on before another begins
 * @param {() => number} [now] in milliseconds
 * @returns {(jobs: Array<J>) => boolean} lets one of these go on, in the order in which they came, and removes it when it is
 *   done; whether it is
 */
export const scheduling = (goOn, few, now = () => performance.now()) => {
  /** @param {ReadonlyArray<J>} jobs */
  const smallest = (jobs) => {
    const [least] = jobs.filter(({ left }) => left !== undefined).sort((a, b) => Number(a.left) - Number(b.left))
    const waiting = jobs.filter(({ left }) => left === undefined).at(-1)
    return least === undefined || Number(least.left) > few ? (waiting ?? least) : least
  }
  /** By how many milliseconds those with least left have had more than the first ones. */
  let ahead = 0
  return (jobs) => {
    const isForFirst = ahead > 0
    const next = isForFirst ? jobs[0] : smallest(jobs)
    if (next === undefined) return false
    const began = now()
    const isDone = goOn(next)
    const took = now() - began
    ahead += isForFirst ? -took : took
    if (isDone) jobs.splice(jobs.indexOf(next), 1)
    return isDone
  }
}
