import { connect, type Socket } from 'node:net'

export interface Asked {
  /** Resolves once the system has connected it and has its request. */
  readonly sent: Promise<unknown>
  /** The first line of its answer, or how the connection ended without one. */
  readonly outcome: Promise<string>
}

const outcomeOf = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    socket.once('data', (chunk) => resolve(String(chunk).split('\r\n', 1)[0] ?? ''))
    socket.once('error', ({ message }) => resolve(message))
    socket.once('close', () => resolve('closed'))
  })

/** Asks for a target on a connection of its own. */
const ask = (port: number, target: string): Asked => {
  const socket = connect(port, '127.0.0.1')
  const outcome = outcomeOf(socket)
  const sent = new Promise((resolve) => {
    socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`, resolve)
  })
  // What is not read holds nothing up: all of it is thrown away.
  socket.resume()
  return { sent, outcome }
}

export const burst = (port: number, targets: ReadonlyArray<string>): ReadonlyArray<Asked> =>
  targets.map((target) => ask(port, target))
