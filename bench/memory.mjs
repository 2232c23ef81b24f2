import { readdirSync, readFileSync } from 'node:fs'

/** The processes that a process has started and that have not ended. */
const children = (pid) =>
  readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  )

const field = (pid, name) => {
  const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return (Number(kibibytes[1]) * 1024) / 1e6
}

/** The processes that a server starts run the same program: what is mapped from files they share with it. */
const ofAll = (name) => (pid) =>
  children(pid).reduce((sum, child) => sum + field(child, name) - field(child, 'RssFile'), field(pid, name))

/** Megabytes (of a million bytes) that a server holds now, and the most it ever held. */
export const residentNow = ofAll('VmRSS')
export const residentPeak = ofAll('VmHWM')
