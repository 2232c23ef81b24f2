import cluster from 'node:cluster'
import { inspect } from 'node:util'
import { workingDirectory } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import { check } from './check.js'
import { workersOf } from './cluster.js'
import { openLog } from './log/openLog.js'
import { redact } from './log/redact.js'
import { type Configured, read } from './ServerConfig.js'
import { serveAlone, serveAsWorker, serveWithWorkers } from './serve.js'
import { ignoreOtherSignals } from './signals.js'
import { keepRequestsYoung } from './youngObjects.js'

// The one file that reads the environment and, but for a second signal, ends the process.

// Asked once: the directory may be deleted under a server.
const cwd = workingDirectory(process.cwd)

const readConfig = (): E.Either<ReadonlyArray<string>, Configured> =>
  pipe(
    cwd,
    E.flatMap((directory) => read(directory, process.env)),
  )

/** An exit code, or why nothing was done. */
type Done = E.Either<ReadonlyArray<string>, number>

const serve = async (configured: Configured): Promise<Done> => {
  const self = cluster.worker
  const base = self === undefined ? null : { worker: self.id, pid: process.pid }
  const output = openLog({ level: configured.config.logLevel, base })
  const served =
    self !== undefined
      ? await serveAsWorker(configured, output.log)
      : workersOf(configured.config) === 1
        ? await serveAlone(configured, output.log)
        : await serveWithWorkers(configured, readConfig, output)
  await output.written()
  return pipe(served, E.mapLeft(RA.of))
}

const checkOnly = async ({ config }: Configured): Promise<Done> => {
  const checked = await check(config)()
  if (E.isLeft(checked)) return checked
  const unread = config.unknown.map((name) => `  nobody reads the variable ${name}: mistyped?\n`)
  process.stdout.write(`canopy: the server can start\n${unread.join('')}`)
  return E.right(0)
}

const usage = `usage: node main.js           serves
       node main.js --check   tells whether it could: the configuration, the addresses, the registry, the storage

What to serve and where is said by variables, such as CANOPY_DATA and CANOPY_PORT: docs/operations.md
`

const misused = (): number => {
  process.stderr.write(usage)
  return 2
}

interface Order {
  readonly execute: (configured: Configured) => Promise<Done>
  /** What is said where that is not possible. */
  readonly failed: string
}

const serving: Order = { execute: serve, failed: 'the server did not start' }
const checking: Order = { execute: checkOnly, failed: 'the server could not start' }

const orderIn = ([order, ...more]: ReadonlyArray<string>): Order | undefined =>
  order === undefined ? serving : order === '--check' && more.length === 0 ? checking : undefined

const fail = ({ failed }: Order, problems: ReadonlyArray<string>): number => {
  process.stderr.write(`canopy: ${failed}\n${problems.map((problem) => `  ${problem}\n`).join('')}`)
  return 1
}

const run = async (order: Order): Promise<number> => {
  const config = readConfig()
  if (E.isLeft(config)) return fail(order, config.left)
  return pipe(
    await order.execute(config.right),
    E.getOrElse((problems) => fail(order, problems)),
  )
}

/** What was thrown may hold a secret, which Node would show. */
const crash = (thrown: unknown): void => {
  process.stderr.write(`canopy: a defect\n${redact(inspect(thrown))}\n`)
  process.exit(1)
}

process.on('uncaughtException', crash)
// A reader of standard error that is gone ends nothing.
process.stderr.on('error', () => undefined)
keepRequestsYoung()
ignoreOtherSignals()
const order = orderIn(process.argv.slice(2))
process.exit(order === undefined ? misused() : await run(order))
