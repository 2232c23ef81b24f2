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

/** A connection of a pool. */
export const Client: typeof pg.Client = new Proxy(pg.Client, {
  construct: (Made, [config]: [pg.ClientConfig]) => ending(new Made(config)),
})
