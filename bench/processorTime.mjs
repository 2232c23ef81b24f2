import { readFileSync } from 'node:fs'
import { children } from './children.mjs'
import { outputOf } from './processes.mjs'

/** Of Linux, towards programs. */
const ticksPerSecond = 100

const ofOne = (pid) => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name stands in brackets, and may hold any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user, system] = fields.slice(11, 13).map(Number)
  return ((user + system) / ticksPerSecond) * 1000
}

/**
 * Milliseconds that a server has been on a processor: all its threads together, also those that have ended, and the
 * processes that it has started.
 */
export const processorTimeOf = (pid) => [pid, ...children(pid)].reduce((sum, each) => sum + ofOne(each), 0)

const seconds = /(\d+)m([\d.]+)s/g

/** The same for a command that is run so many times, on the average. The shell knows what its children took. */
export const processorTimeOfCommand = async (command, parameters, times) => {
  const script = 'n=$1; shift; while [ "$n" -gt 0 ]; do "$@" > /dev/null || exit 1; n=$((n - 1)); done; times'
  const out = await outputOf('sh', ['-c', script, 'sh', String(times), command, ...parameters])
  const children = out.trimEnd().split('\n').at(-1)
  const total = [...children.matchAll(seconds)].reduce((sum, [, m, s]) => sum + Number(m) * 60 + Number(s), 0)
  return (total * 1000) / times
}
