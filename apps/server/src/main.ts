import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import pino from 'pino'
import { fromVariables } from './ServerConfig.js'
import { start } from './start.js'

// The one file that touches the process.

const fail = (problems: ReadonlyArray<string>): void => {
  process.stderr.write(`canopy: the server did not start\n${problems.map((problem) => `  ${problem}\n`).join('')}`)
  process.exitCode = 1
}

const run = pipe(
  fromVariables(process.cwd(), process.env),
  TE.fromEither,
  TE.flatMap((config) => {
    const log = pino({ level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime })
    return pipe(
      start(config, log),
      TE.bimap(
        (problem) => [problem],
        (running) => ({ running, log }),
      ),
    )
  }),
  TE.match(fail, ({ running, log }) => {
    log.info({ url: running.url }, 'listening')
    const stop = async (signal: NodeJS.Signals): Promise<void> => {
      log.info({ signal }, 'stopping')
      await running.stop()
      log.info('stopped')
      process.exit(0)
    }
    process.once('SIGTERM', stop)
    process.once('SIGINT', stop)
  }),
)

await run()
