import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { everyAnswer, jsonType } from './everyAnswer.js'
import { badRequest } from './Refusal.js'
import { refusalAnswer } from './refusalAnswer.js'

const { body, headers } = refusalAnswer(badRequest)
const bytes = body.is === 'bytes' ? body.bytes : Buffer.alloc(0)

/** Node gives up on these before there is a request: they get the same envelope and headers all the same. */
const statuses: Readonly<Record<string, 408 | 431>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

const headOf = (status: number): Buffer =>
  Buffer.from(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      ...Object.entries({
        ...everyAnswer,
        ...headers,
        'Content-Type': jsonType,
        'Content-Length': bytes.length,
        Connection: 'close',
      }).map(([name, value]) => `${name}: ${value}`),
      '',
      '',
    ].join('\r\n'),
  )

const answer = (status: number) => ({ head: headOf(status), whole: Buffer.concat([headOf(status), bytes]) })

// Made once: five thousand connections may run out of time in the same moment.
const answers = { 400: answer(400), 408: answer(408), 431: answer(431) }

/** What Node's parser could not read. */
type Malformed = NodeJS.ErrnoException & { readonly rawPacket?: Buffer }

/** Whoever asks with HEAD reads no body. */
const asksForHead = ({ rawPacket }: Malformed): boolean => rawPacket?.toString('latin1', 0, 5) === 'HEAD '

export const answerMalformed = (error: Malformed, socket: Socket): void => {
  if (socket.writable && error.code !== 'ECONNRESET') {
    const { head, whole } = answers[statuses[error.code ?? ''] ?? 400]
    socket.end(asksForHead(error) ? head : whole)
  } else {
    socket.destroy()
  }
}
