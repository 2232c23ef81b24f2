import type { Writable } from 'node:stream'

interface Streams {
  readonly stdout: Writable
  readonly stderr: Writable
}

/**
 * Writes what a program has to say. Who reads it may leave early (`| head`), which is no failure; of anything else, such as
 * a full disk, standard error tells, and `failed` is called.
 */
export const writeOut = (program: string, { stdout, stderr }: Streams, text: string, failed: () => void): void => {
  stdout.on('error', (thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'EPIPE') return
    stderr.write(`${program}: cannot write the whole answer: ${thrown.message}\n`)
    failed()
  })
  // Nobody is left to tell.
  stderr.on('error', () => undefined)
  stdout.write(text)
}
