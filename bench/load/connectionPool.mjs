import { openConnection } from './openConnection.mjs'

/** Servers close idle connections, and a request of that very moment has no answer: a client closes them before. */
const idleMs = 30_000

/** Connections that are used again; a request that finds none free opens another one. */
export const connectionPool = (port, path) => {
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`, 'latin1')
  const free = []

  /** The one that was used last; the first ones are those that were not used for longest. */
  const freeOne = (now) => {
    while (free.length > 0 && now - free[0].since > idleMs) free.shift().connection.close()
    return free.pop()?.connection
  }

  const answered = async () => {
    const connection = freeOne(performance.now()) ?? (await openConnection(port))
    const status = await new Promise((resolve) => connection.ask(request, resolve))
    if (status !== 0) free.push({ connection, since: performance.now() })
    return status
  }

  return {
    /** Status (0 for no answer), milliseconds, and when it was over. */
    ask: async () => {
      const began = performance.now()
      const status = await answered().catch(() => 0)
      const ended = performance.now()
      return { status, ms: ended - began, ended }
    },
  }
}
