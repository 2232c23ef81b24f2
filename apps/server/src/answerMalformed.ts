import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { everyAnswer, jsonType } from './everyAnswer.js'
import { badRequest } from './Refusal.js'
import { refusalAnswer } from './refusalAnswer.js'

const { body, headers } = refusalAnswer(badRequest)
const bytes = body.is === 'bytes' ? body.bytes : Buffer.alloc(0)

/** Node gives up on these before there is a request: they get the same envelope and headers all the same. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

const head = (status: number): string =>
  [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries({
      ...everyAnswer,
      ...headers,
      'Content-Type': jsonType,
      'Content-Length': bytes.length,
      Date: new Date().toUTCString(),
      Connection: 'close',
    }).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n')

export const answerMalformed = (error: NodeJS.ErrnoException, socket: Socket): void => {
  if (socket.writable && error.code !== 'ECONNRESET') {
    socket.end(Buffer.concat([Buffer.from(head(statuses[error.code ?? ''] ?? 400)), bytes]))
  } else {
    socket.destroy()
  }
}
