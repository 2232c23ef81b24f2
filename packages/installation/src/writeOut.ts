import type { Writable } from 'node:stream'

interface Streams {
  readonly stdout: Writable
  readonly stderr: Writable
}

/**
 * Writes what a program has to say. Who reads it may leave early (`| head`), which is no failure; of anything else, such as
 * a full disk, standard error tells, and `failed` is called. `unseen` is what must be said in any case when it was not all
 * read: what cannot be asked for again.
 */
export const writeOut = (
  program: string,
  { stdout, stderr }: Streams,
  text: string,
  failed: () => void,
  unseen?: string,
): void => {
  stdout.on('error', (thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'EPIPE' && unseen === undefined) return
    const lines = [`cannot write the whole answer: ${thrown.message}`, ...(unseen === undefined ? [] : [unseen])]
    stderr.write(lines.map((line) => `${program}: ${line}\n`).join(''))
    failed()
  })
  // Nobody is left to tell.
  stderr.on('error', () => undefined)
  stdout.write(text)
}
