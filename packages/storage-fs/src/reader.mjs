// A process that reads directories for the one that started it: see Reader.ts.
import { existsSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { givingWay } from './givingWay.mjs'
import { namesIn, opened, partLength, readOn, troubleOf } from './readDirectory.mjs'
import { takingTurns } from './takingTurns.mjs'

/** @typedef {import('./readerMessages.js').Job} Job */
/** @typedef {import('./readerMessages.js').Wanted} Wanted */
/** @typedef {import('./readerMessages.js').Answer} Answer */
/** @typedef {import('./OpenDirectory.js').OpenDirectory} OpenDirectory */
/** @typedef {{ id: number, directory: string, until: number, open: OpenDirectory, isTold: boolean, wanted: Wanted | undefined }} OpenJob */

const nowhere = '/'

// Whoever answers requests goes first where processors are few.
setPriority(Math.min(19, getPriority() + 5))

// It ends when the other one does, whatever else the whole group is told: what is being answered still needs it.
process.on('disconnect', () => process.exit())
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)

// Where it may not follow the links to what the other one holds, it is of no use.
try {
  process.chdir(existsSync('/proc/self/root') ? `/proc/${process.ppid}/root` : nowhere)
} catch {
  process.exit(1)
}

/**
 * In the order in which they came.
 *
 * @type {Array<OpenJob>}
 */
const openJobs = []

/** @type {Array<Answer>} */
const answers = []

/** Waking the other process costs as much as looking at some ten entries: answers go in groups. */
const mostAnswers = 4
/** What arrives in one piece is taken in one piece. */
const mostParts = 4

const isEnough = () =>
  answers.length >= mostAnswers || answers.reduce((sum, { parts }) => sum + parts.length, 0) >= mostParts

const say = () => {
  if (answers.length > 0) process.send?.(answers.splice(0))
}

/**
 * Where its names may be read and none may be looked up (r without x), it is no working directory: there it is read by its
 * path, which tells the names of what cannot be looked at.
 *
 * @param {OpenJob} job
 * @returns {void}
 */
const enter = ({ directory, open }) => {
  try {
    process.chdir(directory)
    open.directory = '.'
  } catch (thrown) {
    if (troubleOf(thrown).code !== 'EACCES') throw thrown
    open.directory = directory
  }
}

/** Where more is asked for than can be read, what nobody waits for any more must not keep others waiting. */
const tooLate = Object.assign(new Error('the directory was not read in time: too many others were'), {
  code: 'ETIMEDOUT',
})

/**
 * Whether a directory lists the names that are asked for. One reading answers all that was asked before it begins; what is
 * asked later must be told of later changes.
 *
 * @param {OpenJob} job
 * @param {Wanted} wanted
 * @returns {void}
 */
const look = (job, { key }) => {
  const asked = openJobs.filter(({ wanted }) => wanted?.key === key)
  for (const other of asked) if (other !== job) openJobs.splice(openJobs.indexOf(other), 1)
  const told = { parts: [], isLast: true, isVoid: false }
  try {
    const names = new Set(namesIn(job.directory))
    for (const { id, wanted } of asked) answers.push({ ...told, id, isListed: names.has(wanted?.name ?? '') })
  } catch (thrown) {
    for (const { id } of asked) answers.push({ ...told, id, trouble: troubleOf(thrown) })
  }
}

/**
 * One part of one directory, or whether it lists a name.
 *
 * @param {OpenJob} job
 * @returns {boolean} whether it was the last
 */
const advance = (job) => {
  const { id, open, wanted } = job
  try {
    if (performance.now() > job.until) throw tooLate
    if (wanted !== undefined) {
      look(job, wanted)
      return true
    }
    enter(job)
    const isLast = readOn(open)
    const isVoid = job.isTold && open.at === 0
    if (isLast || isVoid || open.parts.length === mostParts) {
      answers.push({ id, parts: open.parts.splice(0), isLast, isVoid })
      job.isTold = !isVoid
    }
    return isLast
  } catch (thrown) {
    answers.push({ id, parts: [], isLast: true, isVoid: false, trouble: troubleOf(thrown) })
    return true
  }
}

/**
 * How many of its entries.
 *
 * @param {OpenJob} job
 * @returns {number | undefined}
 */
const left = ({ open }) => open.names && open.names.length - open.at

const giveWay = givingWay()
const takeTurn = takingTurns({ goOn: advance, left, few: mostParts * partLength })

const work = () => {
  giveWay()
  const isDone = takeTurn(openJobs)
  if (!isDone || openJobs.length === 0 || isEnough()) say()
  if (openJobs.length > 0) setImmediate(work)
  else process.chdir(nowhere)
}

process.on('message', (/** @type {ReadonlyArray<Job>} */ jobs) => {
  if (openJobs.length === 0) setImmediate(work)
  for (const { id, directory, untilAtRest, withinMs, wanted } of jobs) {
    const until = performance.now() + withinMs
    openJobs.push({ id, directory, until, open: opened('.', untilAtRest), isTold: false, wanted })
  }
})

// An answer to nothing: it is ready.
process.send?.([])
