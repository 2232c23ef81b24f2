// A thread that reads directories for others: see Thread.ts.
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { namesIn, partLength, partOf } from './readDirectory.mjs'

/** @typedef {import('./Found.js').Found} Found */
/** @typedef {import('./Found.js').Job} Job */
/** @typedef {import('./Found.js').Answer} Answer */
/** @typedef {Job & { names?: ReadonlyArray<string>, at: number, parts: Array<Found> }} Open */

// Whoever answers requests goes first where processors are few. On Linux 0 is this thread, not the process.
if (process.platform === 'linux') setPriority(0, 5)

/** @type {Array<Open>} */
const open = []

/** @type {Array<Answer>} */
const answers = []

/** Waking the other thread costs as much as looking at some ten entries: answers go in groups. */
const mostAnswers = 4
/** What arrives in one piece is taken in one piece. */
const mostParts = 8

const say = () => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows: threads have no origin
  if (answers.length > 0) parentPort?.postMessage(answers.splice(0))
}

/**
 * One part of one directory.
 *
 * @param {Open} job
 * @returns {boolean} whether it was the last
 */
const advance = (job) => {
  try {
    job.names ??= namesIn(job.directory)
    job.parts.push(partOf(job.directory, job.names, job.at))
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
}

parentPort?.on('message', (/** @type {ReadonlyArray<Job>} */ jobs) => {
  if (open.length === 0) setImmediate(work)
  open.push(...jobs.map((job) => ({ ...job, at: 0, parts: [] })))
})
