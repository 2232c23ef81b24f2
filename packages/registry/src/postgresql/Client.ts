import pg from 'pg'

type Connected = (error: Error) => void

/** The driver leaves a connection open that it gave up itself, and the pool forgets it: PostgreSQL would go on to count it. */
const ending = (client: pg.Client): pg.Client => {
  const connect = (callback: Connected): void => pg.Client.prototype.connect.call(client, callback)
  return Object.assign(client, {
    connect: (callback: Connected) =>
      connect((error) => {
        if (error) client.end(() => undefined)
        callback(error)
      }),
  })
}

/** What could not even be made does not connect either. */
const unmade = (cause: unknown): pg.Client =>
  Object.assign(new pg.Client(), { connect: (callback: Connected) => process.nextTick(callback, cause) })

/**
 * A connection of a pool. To make one reads the files of certificates that the URL names, each time anew. Where that
 * fails, connecting fails: a pool makes connections also where nobody catches, and the process would end.
 */
export const Client: typeof pg.Client = new Proxy(pg.Client, {
  construct: (Made, [config]: [pg.ClientConfig]) => {
    try {
      return ending(new Made(config))
    } catch (cause) {
      return unmade(cause)
    }
  },
})
