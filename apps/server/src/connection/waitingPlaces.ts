import type { Socket } from 'node:net'
import * as Answers from './Answers.js'
import { cut } from './cut.js'

/** What comes in one packet is there at once, and takes memory, some 2 KB each: so many may wait, on all connections. */
const most = 8_192

/** And on each: a packet, of 64 KiB at most, holds no more of those that ask for something here. */
const mostOnOne = 2_048

interface WaitingPlaces {
  /** One more waits on this connection. Says whether it may. */
  readonly take: (socket: Socket) => boolean
  readonly giveBack: (socket: Socket) => void
}

/**
 * The places of requests that wait. Where all are taken the connection that holds most of them is cut: whoever sends few is
 * not cut for those who send many.
 */
export const waitingPlaces = (): WaitingPlaces => {
  const holders = new Set<Socket>()
  let taken = 0

  const leave = (socket: Socket): void => {
    const answers = Answers.of(socket)
    taken -= answers.waiting
    answers.waiting = 0
    holders.delete(socket)
  }

  const greediest = (socket: Socket): Socket =>
    [...holders].reduce((one, other) => (Answers.of(other).waiting > Answers.of(one).waiting ? other : one), socket)

  const hold = (socket: Socket): void => {
    const answers = Answers.of(socket)
    if (!answers.haveWaited) socket.once('close', () => leave(socket))
    answers.haveWaited = true
    answers.waiting += 1
    taken += 1
    holders.add(socket)
  }

  return {
    take: (socket) => {
      const toCut = Answers.of(socket).waiting >= mostOnOne ? socket : taken >= most ? greediest(socket) : undefined
      if (toCut !== undefined) {
        leave(toCut)
        cut(toCut)
      }
      if (toCut === socket) return false
      hold(socket)
      return true
    },
    giveBack: (socket) => {
      const answers = Answers.of(socket)
      taken -= 1
      answers.waiting -= 1
      if (answers.waiting === 0) holders.delete(socket)
    },
  }
}
