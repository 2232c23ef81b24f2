import { once } from 'node:events'
import { connect } from 'node:net'
import { files, worldWith } from '@canopy/test-support'
import { seedData } from '../seedData.js'

export const allFiles = 20_000
const target = '/api/usercontent/v1/tree/id/1'

/** The tree of this area exceeds the buffers of a connection, so its answer stays in flight until it is read. */
export const seedMuch = (data: string): Promise<void> => seedData(data, worldWith(files(allFiles, 'n'.repeat(240))))

/** A request whose answer has begun. */
export const requestInFlight = async (port: number) => {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  await once(socket, 'readable')
  /** Reads until the end or a cut, and resolves with the number of files. */
  const finish = async (): Promise<number> => {
    const chunks: Array<Buffer> = []
    socket.on('error', () => undefined).on('data', (chunk: Buffer) => chunks.push(chunk))
    await new Promise((closed) => socket.once('close', closed))
    const text = String(Buffer.concat(chunks)).replace(/\r\n[0-9a-f]+\r\n/g, '')
    return text.match(/"type":"file"/g)?.length ?? 0
  }
  return { socket, finish }
}
