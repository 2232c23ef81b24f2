import { connect, type Socket } from 'node:net'
import { type RawRequest, type RawResponse, responseIn } from '@canopy/testkit'

interface KeepAliveConnection {
  /** Pipelines requests. Rejects if the server closes the connection. */
  readonly send: (requests: ReadonlyArray<RawRequest>) => Promise<ReadonlyArray<RawResponse>>
  readonly close: () => void
}

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

export const keepAliveConnection = (port: number): Promise<KeepAliveConnection> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject).on('error', () => undefined)
      resolve({
        send: async (requests) => (requests.length === 0 ? [] : exchange(socket, requests)),
        close: () => socket.destroy(),
      })
    })
  })
