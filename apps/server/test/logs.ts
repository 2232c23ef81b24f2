import pino from 'pino'

/** A log, and its lines. */
export const logged = (level = 'info') => {
  const lines: Array<Readonly<Record<string, unknown>>> = []
  return { lines, log: pino({ level }, { write: (line: string) => void lines.push(JSON.parse(line)) }) }
}
