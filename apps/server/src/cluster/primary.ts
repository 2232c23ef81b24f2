import cluster from 'node:cluster'
import { createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { lineASecond } from '../log/lineASecond.js'
import { openLog } from '../log/openLog.js'
import { warnOfUnknown } from '../log/warnOfUnknown.js'
import { observePrimary } from '../observe/observe.js'
import type { ServerConfig } from '../ServerConfig.js'
import { onReloadSignal, onStopSignal } from '../signals.js'
import { handOver } from './handOver.js'
import { openPort } from './openPort.js'
import { supervise } from './supervise.js'

/** After how long a worker that does not answer yet is taken for one that never will. */
const startMs = 60_000

const addressOf = ({ installation: { host, port } }: ServerConfig): string => `${host}:${port}`

/** Nothing is read here; the rest is as of connections that a server of HTTP accepts. */
const handedOver = { pauseOnConnect: true, noDelay: true }

/** Beyond its drain and its stop a worker takes five seconds at most; in milliseconds. */
const endingMs = 6_000

export const workersOf = ({ workers }: ServerConfig): number => (workers === 'auto' ? availableParallelism() : workers)

/**
 * Starts the processes that answer and takes care of them, until it is told to stop. Resolves with the exit code; `left`
 * says why it did not start.
 */
export const primary = async (
  config: ServerConfig,
  readConfig: () => E.Either<ReadonlyArray<string>, ServerConfig>,
): Promise<E.Either<string, number>> => {
  const log = openLog({ level: config.logLevel, base: null })
  warnOfUnknown(config, log)
  const observed = await observePrimary(config.observe, log)()
  if (E.isLeft(observed)) return observed
  let { drainMs, stopMs } = config
  const leaveMs = () => drainMs + stopMs + endingMs
  const { reload, stop, portOpened, ended } = supervise(workersOf(config), { cluster, log, leaveMs, startMs })
  const { opened, end } = handOver(
    cluster,
    (take) => {
      const server = createServer(handedOver, take)
      server.maxConnections = config.maxConnections
      return openPort(server, config.installation, log)
    },
    lineASecond(log, 'lost', 'connections were lost: a worker may open no more files'),
  )
  onStopSignal(log, () => {
    end()
    stop()
  })
  onReloadSignal(() =>
    pipe(
      readConfig(),
      E.match(
        (problems) => log.error({ problems }, 'not reloaded: the configuration is wrong'),
        (now) => {
          log.info('reloading')
          warnOfUnknown(now, log)
          if (addressOf(now) !== addressOf(config))
            log.warn({ address: addressOf(now) }, 'listens there after a restart')
          drainMs = now.drainMs
          stopMs = now.stopMs
          reload(workersOf(now))
        },
      ),
    ),
  )
  const begun = await Promise.race([opened, ended.then(E.right)])
  // The worker ends with this process.
  if (E.isLeft(begun)) return begun
  portOpened()
  const code = await ended
  if (code === 0) log.info('every worker has stopped')
  return E.right(code)
}
