// A process that reads directories for the one that started it: see Reader.ts.
import { existsSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { namesIn, partLength, partOf } from './readDirectory.mjs'

/** @typedef {import('./Found.js').Found} Found */
/** @typedef {import('./Found.js').Job} Job */
/** @typedef {import('./Found.js').Answer} Answer */
/** @typedef {Job & { names?: ReadonlyArray<string>, at: number, parts: Array<Found> }} Open */

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

/** @type {Array<Open>} */
const open = []

/** @type {Array<Answer>} */
const answers = []

/** Waking the other process costs as much as looking at some ten entries: answers go in groups. */
const mostAnswers = 4
/** What arrives in one piece is taken in one piece. */
const mostParts = 8

const say = () => {
  if (answers.length > 0) process.send?.(answers.splice(0))
}

/**
 * One part of one directory.
 *
 * @param {Open} job
 * @returns {boolean} whether it was the last
 */
const advance = (job) => {
  try {
    process.chdir(job.directory)
    job.names ??= namesIn('.')
    job.parts.push(partOf('.', job.names, job.at))
    job.at += partLength
    const isLast = job.at >= job.names.length
    if (isLast || job.parts.length === mostParts) answers.push({ id: job.id, parts: job.parts.splice(0), isLast })
    return isLast
  } catch (thrown) {
    const { code = '', message } = /** @type {NodeJS.ErrnoException} */ (thrown)
    const trouble = { code, message, inEntries: job.names !== undefined }
    answers.push({ id: job.id, parts: [], isLast: true, trouble })
    return true
  }
}

/** Directories take turns, so that none waits for a large one. */
const work = () => {
  const job = open.shift()
  if (job === undefined) return
  const isDone = advance(job)
  if (!isDone) open.push(job)
  if (!isDone || open.length === 0 || answers.length >= mostAnswers) say()
  if (open.length > 0) setImmediate(work)
  else process.chdir(nowhere)
}

process.on('message', (/** @type {ReadonlyArray<Job>} */ jobs) => {
  if (open.length === 0) setImmediate(work)
  open.push(...jobs.map((job) => ({ ...job, at: 0, parts: [] })))
})

// An answer to nothing: it is ready.
process.send?.([])
