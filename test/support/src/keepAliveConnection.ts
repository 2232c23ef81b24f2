import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type RawRequest, type RawResponse, responseIn } from '@canopy/testkit'

const requestText = ({ method, target, headers = [['Host', 'localhost']] }: RawRequest): string =>
  `${method} ${target} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`

const exchange = (socket: Socket, requests: ReadonlyArray<RawRequest>): Promise<ReadonlyArray<RawResponse>> =>
  new Promise((resolve, reject) => {
    const responses: Array<RawResponse> = []
    let bytes: Buffer = Buffer.alloc(0)
    const settle = (done: () => void): void => {
      socket.off('data', onData).off('close', onClose)
      done()
    }
    const onData = (chunk: Buffer): void => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
      for (let next = requests[responses.length]; next !== undefined; next = requests[responses.length]) {
        const found = responseIn(bytes, next.method)
        if (found?.response.complete !== true) return
        responses.push(found.response)
        bytes = bytes.subarray(found.end)
      }
      settle(() => resolve(responses))
    }
    const onClose = (): void =>
      settle(() => reject(new Error(`the connection ended after ${responses.length} of ${requests.length} answers`)))
    socket.on('data', onData).on('close', onClose)
    if (socket.destroyed) return onClose()
    socket.write(requests.map(requestText).join(''))
  })

export const keepAliveConnection = async (port: number) => {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  socket.on('error', () => undefined)
  return {
    /** Pipelines requests. Rejects if the server closes the connection. */
    send: async (requests: ReadonlyArray<RawRequest>) => (requests.length === 0 ? [] : exchange(socket, requests)),
    close: () => void socket.destroy(),
  }
}
