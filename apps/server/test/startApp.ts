import * as E from 'fp-ts/lib/Either.js'
import pino, { type Logger } from 'pino'
import { app } from '../src/app.js'
import { type Listening, listen } from '../src/listen.js'
import type { Ports } from '../src/Ports.js'

/** The whole service in this process, on a free port, over any ports. */
export const startApp = async (
  ports: Ports,
  options: { readonly treeNodes?: number; readonly portTimeoutMs?: number; readonly log?: Logger } = {},
): Promise<Listening> => {
  const service = app({
    ...ports,
    treeNodes: options.treeNodes ?? 1_000_000,
    portTimeoutMs: options.portTimeoutMs ?? 10_000,
    log: options.log ?? pino({ level: 'silent' }),
  })
  const listening = await listen(service.callback(), { host: '127.0.0.1', port: 0 })()
  if (E.isLeft(listening)) throw listening.left
  return listening.right
}
