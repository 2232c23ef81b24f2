import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { refusalAnswer } from '../answer/refusalAnswer.js'
import { fewPerTick } from '../eventLoop.js'
import { type BadRequest, badRequest, headTooLarge, headTooLate } from '../Refusal.js'
import { headsOf } from '../send/heads.js'
import * as Answers from './Answers.js'
import { linger } from './linger.js'

const tooLate = 'ERR_HTTP_REQUEST_TIMEOUT'

/** Of those who run out of time together: each takes some 0.1 ms, and whoever sends in time waits behind them. */
const mostLatePerTick = 4

/** Node gives up on these before there is a request: they get the same envelope and headers all the same. */
const refusals: Readonly<Record<string, BadRequest>> = {
  HPE_HEADER_OVERFLOW: headTooLarge,
  [tooLate]: headTooLate,
}

const piecesOf = (refusal: BadRequest) => {
  const answer = refusalAnswer(refusal)
  const { plain } = headsOf(answer)
  return {
    begin: `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\nConnection: close\r\n`,
    fields: plain.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join(''),
    body: answer.body.bytes.toString('latin1'),
  }
}

// Made once: many connections may run out of time in the same moment.
const pieces = new Map([badRequest, headTooLarge, headTooLate].map((refusal) => [refusal, piecesOf(refusal)]))

/** What Node's parser could not read. */
type Malformed = NodeJS.ErrnoException & { readonly rawPacket?: Buffer }

/** Told of each that was answered: the id in its answer, and Node's name for what is wrong. */
export type OnMalformed = (refusal: BadRequest, requestId: string, code: string | undefined) => void

/** Whoever asks with HEAD reads no body. Behind other requests the packet does not tell who asks. */
const asksForHead = ({ rawPacket }: Malformed): boolean => rawPacket?.toString('latin1', 0, 5) === 'HEAD '

const textOf = (error: Malformed, refusal: BadRequest, requestId: string, isFirst: boolean): string => {
  const { begin, fields, body } = pieces.get(refusal) ?? piecesOf(refusal)
  const own = `Date: ${new Date().toUTCString()}\r\nX-Request-Id: ${requestId}\r\n`
  return `${begin}${own}${fields}\r\n${isFirst && asksForHead(error) ? '' : body}`
}

/** Node looks no more after a request of which it has said that it is too late: its body may take for ever. */
const endUnlessComplete = (socket: Socket): void => {
  const { latest } = Answers.of(socket)
  Answers.after(latest, () => {
    if (latest?.req.complete === false) linger(socket)
  })
}

/**
 * Answers what is no request, once all requests before it have their answers. What is wrong in the body of a request that
 * has its answer is not answered a second time.
 */
export const answerMalformed = (onMalformed: OnMalformed) => {
  const givenUp = new WeakSet<Socket>()

  const answer = (error: Malformed, socket: Socket, isFirst: boolean): void => {
    if (!socket.writable) return
    const refusal = refusals[error.code ?? ''] ?? badRequest
    const requestId = randomUUID()
    socket.write(textOf(error, refusal, requestId, isFirst), 'latin1')
    linger(socket)
    onMalformed(refusal, requestId, error.code)
  }

  const giveUp = (error: Malformed, socket: Socket): void => {
    // Behind the last answer of a connection nothing is read as a request any more.
    if (!socket.writable) return
    // Whatever else comes on this connection cannot be read either.
    if (givenUp.has(socket)) return
    givenUp.add(socket)
    const { latest } = Answers.of(socket)
    Answers.after(latest, () => {
      if (latest === undefined || latest.req.complete) answer(error, socket, latest === undefined)
      else linger(socket)
    })
  }

  const later = fewPerTick(mostLatePerTick)

  return (error: Malformed, socket: Socket): void => {
    if (error.code !== tooLate) {
      giveUp(error, socket)
      return
    }
    const { latest, waiting } = Answers.of(socket)
    // It has come no further because nothing more was read.
    if (waiting > 0) return
    later(() => {
      // A request whose head has come meanwhile is answered.
      if (Answers.of(socket).latest === latest) giveUp(error, socket)
      else endUnlessComplete(socket)
    })
  }
}
