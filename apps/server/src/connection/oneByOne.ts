import type { RequestListener } from 'node:http'
import * as Answers from './Answers.js'
import { cut } from './cut.js'
import { holdBack, readOn } from './reading.js'

/** What comes in one packet is there at once, and takes memory, some 2 KB each: so many may wait, on all connections. */
const mostWaiting = 8_192

/** And on each: a packet, of 64 KiB at most, holds no more of those that ask for something here. */
const mostOnOne = 2_048

/**
 * Begins a request when the one before it on the same connection has its answer. Otherwise whoever sends many and reads
 * nothing would have all of them answered, in memory; and an answer that waits for its turn hears nothing of a connection
 * that is gone. While one waits, nothing more is read of the connection; where too many wait, a connection with one more
 * is cut.
 */
export const oneByOne = (handler: RequestListener): RequestListener => {
  let waiting = 0

  return (request, response) => {
    const { socket } = request
    // The last answer of this connection is sent.
    if (!socket.writable) return
    const answers = Answers.of(socket)
    const before = answers.latest
    answers.latest = response
    const begin = (): void => {
      answers.current = response
      handler(request, response)
    }
    // Whose turn it is has the connection.
    if (before === undefined || response.socket !== null) return begin()
    if (waiting >= mostWaiting || answers.waiting >= mostOnOne) return cut(socket)
    if (!answers.haveWaited) {
      answers.haveWaited = true
      socket.once('close', () => {
        waiting -= answers.waiting
      })
    }
    if (answers.waiting === 0) holdBack(socket)
    waiting += 1
    answers.waiting += 1
    Answers.after(before, () => {
      if (socket.destroyed) return
      waiting -= 1
      answers.waiting -= 1
      // Behind the last answer of a connection its turn never comes.
      if (response.socket === null) return
      if (answers.waiting === 0) readOn(socket)
      begin()
    })
  }
}
