import * as E from 'fp-ts/lib/Either.js'
import pino from 'pino'
import { listen, type RunningServer } from '../src/http/listen.js'
import { unlimited } from '../src/limits/failedLookups.js'
import { readiness } from '../src/observe/health.js'
import type { Ports } from '../src/ports.js'
import { type ServerEnv, server } from '../src/server.js'
import { documentPage } from '../src/webPages.js'

export const right = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left))
  return result.right
}

export const startApp = async (ports: Ports, options: Partial<ServerEnv> = {}): Promise<RunningServer> => {
  const service = server({
    ports,
    readiness: readiness({}),
    limitLookups: unlimited,
    mountOf: () => undefined,
    treeNodes: 1_000_000,
    firstByteMs: 10_000,
    answerMs: 3_600_000,
    portMs: 8_000,
    connections: { maxConnections: 10_000, idleMs: 65_000 },
    maxAdmitted: 1_000,
    cacheBytes: 1_000_000,
    unread: { bytes: 0, patienceMs: 0 },
    basePath: '',
    loopbackOnly: false,
    pages: [documentPage],
    log: pino({ level: 'silent' }),
    ...options,
  })
  return right(await listen(service, { host: '127.0.0.1', port: 0 })())
}
