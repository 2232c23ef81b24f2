import * as E from 'fp-ts/lib/Either.js'
import pino from 'pino'
import { type Listening, listen } from '../src/connection/listen.js'
import { unlimited } from '../src/defence/failedLookups.js'
import * as TrustedProxies from '../src/defence/TrustedProxies.js'
import { readiness } from '../src/observe/health.js'
import { reportMalformed } from '../src/observe/observe.js'
import type { Ports } from '../src/ports/Ports.js'
import { type ServiceEnv, service } from '../src/service.js'

/** The whole service in this process, on a free port, over any ports. */
export const startApp = async (
  ports: Ports,
  options: Partial<Omit<ServiceEnv, keyof Ports>> = {},
): Promise<Listening> => {
  const answer = service({
    ...ports,
    ...options,
    readiness: options.readiness ?? readiness({}),
    failedLookups: options.failedLookups ?? unlimited,
    trustedProxies: options.trustedProxies ?? TrustedProxies.nobody,
    treeNodes: options.treeNodes ?? 1_000_000,
    portTimeoutMs: options.portTimeoutMs ?? 10_000,
    atOnce: options.atOnce ?? { most: 10, longMs: 100 },
    keptAnswerBytes: options.keptAnswerBytes ?? 1_000_000,
    unread: options.unread ?? { bytes: 0, patienceMs: 0 },
    log: options.log ?? pino({ level: 'silent' }),
  })
  const onMalformed = reportMalformed(options.log ?? pino({ level: 'silent' }), options)
  const listening = await listen(answer, { host: '127.0.0.1', port: 0, maxConnections: 10_000, onMalformed })()
  if (E.isLeft(listening)) throw listening.left
  return listening.right
}
