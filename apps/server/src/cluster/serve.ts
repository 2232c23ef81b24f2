import * as E from 'fp-ts/lib/Either.js'
import type { Logger } from 'pino'
import type { StopBounds } from '../connection/gracefulStop.js'
import type { OtherProcesses } from '../defence/failedLookups.js'
import type { ServerConfig } from '../ServerConfig.js'
import { type Open, type Running, start } from '../start.js'
import type { Leave } from './words.js'

/** Where one process hears when to end, tells that it answers, and shares what it counts with the others. */
interface Orders {
  readonly leave: Promise<Leave>
  readonly open: Open
  readonly begun: () => void
  readonly others: OtherProcesses
}

/** Who waits for the end does not wait long for idle clients; behind a worker that is replaced nobody waits. */
const quietMs: { readonly [L in Leave]: number } = { stop: 250, retire: 5_000 }

const boundsOf = (leave: Leave, { drainMs, stopMs }: ServerConfig): StopBounds => ({
  // Beside a worker that is replaced others take the connections: balancers have nothing to notice.
  drainMs: leave === 'stop' ? drainMs : 0,
  quietMs: quietMs[leave],
  stopMs,
})

const end = async (running: Running, leave: Leave, bounds: StopBounds, log: Logger): Promise<void> => {
  if (leave === 'stop') running.notReady()
  const cut = await running.stop(bounds)
  if (cut > 0) log.warn({ cut, stopMs: bounds.stopMs }, 'stopped: connections with unfinished requests were cut')
  else log.info('stopped')
}

/** Serves until it is told to leave, then finishes what is in flight. `left` says why it did not start. */
export const serve = async (
  config: ServerConfig,
  log: Logger,
  { leave, open, begun, others }: Orders,
): Promise<E.Either<string, void>> => {
  const started = await Promise.race([start(config, log, others, open)(), leave])
  if (started === 'stop' || started === 'retire') return E.right(undefined)
  if (E.isLeft(started)) return started
  begun()
  const how = await leave
  return E.right(await end(started.right, how, boundsOf(how, config), log))
}
