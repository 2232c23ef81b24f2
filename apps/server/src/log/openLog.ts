import pino, { type Logger, type LoggerOptions } from 'pino'

interface LogOutput {
  readonly fd: number
  /** As many bytes wait where nobody takes them: on a full disk, in a pipe that is not read. */
  readonly mostWaiting: number
}

const standardOutput: LogOutput = { fd: 1, mostWaiting: 8 * 1024 * 1024 }

/** A log that ends no service: lines that nobody takes are lost, and counted in the log once somebody does. */
export const openLog = (options: LoggerOptions, { fd, mostWaiting }: LogOutput = standardOutput): Logger => {
  const output = pino.destination({ fd, sync: false, maxLength: mostWaiting })
  const log = pino({ ...options, timestamp: pino.stdTimeFunctions.isoTime }, output)
  const state = { fails: false, lost: 0 }
  output.on('error', () => {
    state.fails = true
  })
  output.on('write', () => {
    state.fails = false
  })
  output.on('drop', () => {
    state.lost += 1
  })
  output.on('drain', () => {
    const { lost } = state
    state.lost = 0
    if (lost > 0) log.warn({ lost }, 'the log could not be written for a while')
  })
  // When the process ends the library writes what is left, and would try for ever.
  process.prependListener('exit', () => {
    if (state.fails) output.destroy()
  })
  return log
}
