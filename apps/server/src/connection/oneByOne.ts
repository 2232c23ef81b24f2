import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface Queue {
  /** The answer to the latest request that came. */
  last: ServerResponse | undefined
  waiting: number
}

const own = Symbol('requests of a connection')

type Carrier = Socket & { [own]?: Queue }

const queueOf = (carrier: Carrier): Queue => {
  const queue = carrier[own] ?? { last: undefined, waiting: 0 }
  carrier[own] = queue
  return queue
}

/**
 * Begins a request when the one before it on the same connection has its answer. Otherwise whoever sends many and reads
 * nothing would have all of them answered, in memory; and an answer that waits for its turn hears nothing of a connection
 * that is gone. While one waits, nothing more is read of the connection.
 */
export const oneByOne =
  (handler: RequestListener): RequestListener =>
  (request, response) => {
    const { socket } = request
    const queue = queueOf(socket)
    const before = queue.last
    queue.last = response
    if (before === undefined || before.writableFinished) return handler(request, response)
    queue.waiting += 1
    socket.pause()
    before.once('close', () => {
      if (socket.destroyed) return
      queue.waiting -= 1
      if (queue.waiting === 0) socket.resume()
      handler(request, response)
    })
  }
