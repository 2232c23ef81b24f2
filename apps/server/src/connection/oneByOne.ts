import type { RequestListener } from 'node:http'
import * as Answers from './Answers.js'
import { holdBack, readOn } from './reading.js'
import { waitingPlaces } from './waitingPlaces.js'

/**
 * Begins a request when the one before it on the same connection has its answer. Otherwise whoever sends many and reads
 * nothing would have all of them answered, in memory; and an answer that waits for its turn hears nothing of a connection
 * that is gone. While one waits, nothing more is read of the connection; where too many wait, a connection is cut.
 */
export const oneByOne = (handler: RequestListener): RequestListener => {
  const places = waitingPlaces()

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
    if (!places.take(socket)) return
    if (answers.waiting === 1) holdBack(socket)
    Answers.after(before, () => {
      if (socket.destroyed) return
      places.giveBack(socket)
      // Behind the last answer of a connection its turn never comes.
      if (response.socket === null) return
      if (answers.waiting === 0) readOn(socket)
      begin()
    })
  }
}
