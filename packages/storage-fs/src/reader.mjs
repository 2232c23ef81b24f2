// A process that reads directories for the one that started it: see Reader.ts.
import { existsSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { givingWay } from './givingWay.mjs'
import { opened, readOn, troubleOf } from './readDirectory.mjs'

/** @typedef {import('./readerMessages.js').Job} Job */
/** @typedef {import('./readerMessages.js').Answer} Answer */
/** @typedef {import('./OpenDirectory.js').OpenDirectory} OpenDirectory */
/** @typedef {{ id: number, directory: string, open: OpenDirectory, isTold: boolean }} OpenJob */

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

/** @type {Array<OpenJob>} */
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

/**
 * One part of one directory.
 *
 * @param {OpenJob} job
 * @returns {boolean} whether it was the last
 */
const advance = (job) => {
  const { id, open } = job
  try {
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

const giveWay = givingWay()

/** Directories take turns, so that none waits for a large one. */
const work = () => {
  giveWay()
  const job = openJobs.shift()
  if (job === undefined) return
  const isDone = advance(job)
  if (!isDone) openJobs.push(job)
  if (!isDone || openJobs.length === 0 || isEnough()) say()
  if (openJobs.length > 0) setImmediate(work)
  else process.chdir(nowhere)
}

process.on('message', (/** @type {ReadonlyArray<Job>} */ jobs) => {
  if (openJobs.length === 0) setImmediate(work)
  for (const { id, directory, untilAtRest } of jobs)
    openJobs.push({ id, directory, open: opened('.', untilAtRest), isTold: false })
})

// An answer to nothing: it is ready.
process.send?.([])
