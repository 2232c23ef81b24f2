import { openConnection } from '../load/openConnection.mjs'

/** Kept connections; whoever finds none free opens another one. */
export const connectionPool = (port, path) => {
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`, 'latin1')
  const free = []

  /** One that the server has closed meanwhile, since nobody used it, is no lost request. */
  const freeOne = () => {
    const connection = free.pop()
    return connection === undefined || connection.isOpen() ? connection : freeOne()
  }

  const answered = async () => {
    const connection = freeOne() ?? (await openConnection(port))
    const status = await new Promise((resolve) => connection.ask(request, resolve))
    if (status !== 0) free.push(connection)
    return status
  }

  return {
    /** Status (0 for no answer) and milliseconds. */
    ask: async () => {
      const began = performance.now()
      const status = await answered().catch(() => 0)
      return { status, ms: performance.now() - began }
    },
  }
}
