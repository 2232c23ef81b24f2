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

const answer = (status: number): Buffer =>
  Buffer.concat([
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
    ),
    bytes,
  ])

// Made once: five thousand connections may run out of time in the same moment.
const answers = { 400: answer(400), 408: answer(408), 431: answer(431) }

export const answerMalformed = (error: NodeJS.ErrnoException, socket: Socket): void => {
  if (socket.writable && error.code !== 'ECONNRESET') {
    socket.end(answers[statuses[error.code ?? ''] ?? 400])
  } else {
    socket.destroy()
  }
}
