import { readFileSync } from 'node:fs'

const field = (name) => (pid) => {
  const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return (Number(kibibytes[1]) * 1024) / 1e6
}

/** Megabytes (of a million bytes) that a process holds now, and the most it ever held. */
export const residentNow = field('VmRSS')
export const residentPeak = field('VmHWM')
