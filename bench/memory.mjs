import { readdirSync, readFileSync } from 'node:fs'

const children = (pid) =>
  readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  )

const field = (name) => (pid) => {
  const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return (Number(kibibytes[1]) * 1024) / 1e6
}

/** With the processes that it started; what they share is counted for each. */
const ofAll = (of) => (pid) => [pid, ...children(pid)].reduce((sum, each) => sum + of(each), 0)

/** Megabytes (of a million bytes) that a server holds now, and the most it ever held. */
export const residentNow = ofAll(field('VmRSS'))
export const residentPeak = ofAll(field('VmHWM'))
