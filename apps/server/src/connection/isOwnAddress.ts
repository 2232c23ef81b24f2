import { createServer } from 'node:net'
import * as TE from 'fp-ts/lib/TaskEither.js'

/** Whether a server may listen on this host: it takes a free port, and gives it back at once. */
export const isOwnAddress = (host: string): TE.TaskEither<Error, void> =>
  TE.tryCatch(
    () =>
      new Promise<void>((resolve, reject) => {
        const server = createServer().once('error', reject)
        server.listen({ host, port: 0 }, () => server.close(() => resolve()))
      }),
    (thrown) => (thrown instanceof Error ? thrown : new Error(String(thrown))),
  )
