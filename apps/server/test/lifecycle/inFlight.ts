import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { worldWith } from '@canopy/test-support'
import { seedData } from '../seedData.js'

const files = 20_000
const longName = 'n'.repeat(240)
const target = '/api/usercontent/v1/tree/id/1'

/** The tree of this area exceeds the buffers of a connection, so its answer stays in flight until it is read. */
export const seedMuch = async (data: string): Promise<void> => {
  await seedData(data, worldWith())
  for (let index = 0; index < files; index += 1) writeFileSync(join(data, 'areas/1', `${longName}${index}`), '')
}

/** Counts the files of a streamed answer across its chunks. */
export const filesIn = (answer: string): number =>
  answer.replace(/\r\n[0-9a-f]+\r\n/g, '').match(/"type":"file"/g)?.length ?? 0

export interface InFlight {
  readonly socket: Socket
  /** Reads until the end or a cut, and returns the number of files. */
  readonly finish: () => Promise<number>
}

export const requestInFlight = async (port: number): Promise<InFlight> => {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  await once(socket, 'readable')
  const finish = async () => {
    const chunks: Array<Buffer> = []
    socket.on('error', () => undefined).on('data', (chunk: Buffer) => chunks.push(chunk))
    await new Promise((closed) => socket.once('close', closed))
    return filesIn(Buffer.concat(chunks).toString())
  }
  return { socket, finish }
}

export const allFiles = files
