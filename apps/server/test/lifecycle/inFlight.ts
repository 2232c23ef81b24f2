import { once } from 'node:events'
import { files, worldWith } from '@canopy/test-support'
import { get, openTo } from '../http/connecting.js'
import { seedData } from '../startServer.js'

export const allFiles = 20_000

/** The tree of this area exceeds the buffers of a connection, so its answer stays in flight until it is read. */
export const seedMuch = (data: string): Promise<void> => seedData(data, worldWith(files(allFiles, 'n'.repeat(240))))

export const requestInFlight = async (port: number) => {
  const { socket, heard, ended } = openTo(port)
  socket.write(get('/api/usercontent/v1/tree/id/1'))
  await once(socket, 'data')
  socket.pause()
  /** Reads until the end or a cut, and resolves with the number of files. */
  const finish = async (): Promise<number> => {
    socket.resume()
    const text = (await ended().catch(heard)).replace(/\r\n[0-9a-f]+\r\n/g, '')
    return text.match(/"type":"file"/g)?.length ?? 0
  }
  return { socket, finish }
}
