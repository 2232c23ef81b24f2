import { once } from 'node:events'
import { connect } from 'node:net'

const endOfHead = Buffer.from('\r\n\r\n')
const statusAt = 'HTTP/1.1 '.length

/** Whatever comes is looked at at once and then forgotten: all connections read into the same bytes. */
const shared = Buffer.allocUnsafe(256 * 1024)

/**
 * One kept connection that takes one request at a time, and reads no more of an answer than it must: the status, and how
 * long it is. Node's own client costs as much as the servers that are measured. A connection that ends answers 0.
 */
export const openConnection = async (port) => {
  const state = { answered: undefined, head: undefined, status: 0, left: -1 }

  const finish = (status) => {
    const { answered } = state
    Object.assign(state, { answered: undefined, left: -1 })
    answered?.(status)
  }

  const readHead = (chunk) => {
    const head = state.head === undefined ? chunk : Buffer.concat([state.head, chunk])
    const end = head.indexOf(endOfHead)
    state.head = end === -1 ? Buffer.from(head) : undefined
    if (end === -1) return
    const text = head.latin1Slice(0, end)
    const length = /\r\ncontent-length: (\d+)/i.exec(text)
    if (length === null) throw new Error('an answer without Content-Length')
    state.status = Number(text.slice(statusAt, statusAt + 3))
    state.left = Number(length[1]) - (head.length - end - endOfHead.length)
  }

  const onread = {
    buffer: shared,
    callback: (bytes) => {
      if (state.left === -1) readHead(shared.subarray(0, bytes))
      else state.left -= bytes
      if (state.left === 0) finish(state.status)
      return true
    },
  }

  const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread })
  await once(socket, 'connect')
  socket.on('error', () => undefined)
  socket.on('close', () => finish(0))
  return {
    ask: (request, answered) => {
      state.answered = answered
      if (socket.destroyed) finish(0)
      else socket.write(request)
    },
    close: () => socket.destroy(),
  }
}
