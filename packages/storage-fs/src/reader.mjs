// A process that reads directories for the one that started it: see readers.ts.
import { existsSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { partLength, readingOf, scheduling, troubleOf } from './readDirectory.mjs'

/** @typedef {import('./readers.js').Found} Found */
/** @typedef {import('./readers.js').Job} Job */
/** @typedef {import('./readers.js').Answer} Answer */

/**
 * @typedef {object} OpenJob
 * @property {number} id
 * @property {string} directory
 * @property {number} until when no one waits for it any more
 * @property {{ directory: string }} at a path that leads to it now
 * @property {ReturnType<typeof readingOf>} reading
 * @property {Array<Found>} parts those that are not sent yet
 * @property {boolean} isVoid whether those that were sent are void
 * @property {number | undefined} left how many of its names, once they are read
 */

const nowhere = '/'

// The process that answers requests goes first where processors are few.
setPriority(Math.min(19, getPriority() + 5))

// It ends when the other one does, whatever signal the whole group gets: what is being answered still needs it.
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
const mostParts = 4

const areEnough = () =>
  answers.length >= mostAnswers || answers.reduce((sum, { parts }) => sum + parts.length, 0) >= mostParts

const send = () => {
  if (answers.length > 0) process.send?.(answers.splice(0))
}

/**
 * Where its names may be read and none may be looked up (r without x), it is no working directory: there it is read by its
 * path, which names what cannot be looked at.
 *
 * @param {OpenJob} job
 * @returns {void}
 */
const enter = ({ directory, at }) => {
  try {
    process.chdir(directory)
    at.directory = '.'
  } catch (thrown) {
    if (troubleOf(thrown).code !== 'EACCES') throw thrown
    at.directory = directory
  }
}

/** Where more is asked for than can be read, what no one waits for any more must not delay others. */
const tooLate = Object.assign(new Error('the directory was not read in time: too many others were'), {
  code: 'ETIMEDOUT',
})

/**
 * Reads one part of one directory.
 *
 * @param {OpenJob} job
 * @returns {boolean} whether it was the last
 */
const advance = (job) => {
  const { id } = job
  try {
    if (performance.now() > job.until) throw tooLate
    enter(job)
    const { value } = job.reading.next()
    if (!value) return true
    if (value.isFirst) {
      job.parts = []
      job.isVoid = true
    }
    job.parts.push(value.part)
    job.left = value.left
    if (value.isLast || job.parts.length === mostParts) {
      answers.push({ id, parts: job.parts.splice(0), isLast: value.isLast, isVoid: job.isVoid })
      job.isVoid = false
    }
    return value.isLast
  } catch (thrown) {
    answers.push({ id, parts: [], isLast: true, isVoid: false, trouble: troubleOf(thrown) })
    return true
  }
}

const advanceOne = scheduling(advance, mostParts * partLength)

const work = () => {
  const isDone = advanceOne(openJobs)
  if (!isDone || openJobs.length === 0 || areEnough()) send()
  if (openJobs.length > 0) setImmediate(work)
  else process.chdir(nowhere)
}

process.on('message', (/** @type {ReadonlyArray<Job>} */ jobs) => {
  if (openJobs.length === 0) setImmediate(work)
  for (const { id, directory, isSnapshot, withinMs } of jobs) {
    const at = { directory: '.' }
    const reading = readingOf(at, isSnapshot)
    const until = performance.now() + withinMs
    openJobs.push({ id, directory, until, at, reading, parts: [], isVoid: false, left: undefined })
  }
})

// An answer to nothing: it is ready.
process.send?.([])
