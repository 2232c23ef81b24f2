import cluster from 'node:cluster'
import { workingDirectory } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import { check } from './check.js'
import { workersOf } from './cluster.js'
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

const serve = (configured: Configured): Promise<Done> => {
  const served = cluster.isWorker
    ? serveAsWorker(configured)
    : workersOf(configured.config) === 1
      ? serveAlone(configured)
      : serveWithWorkers(configured, readConfig)
  return served.then(E.mapLeft(RA.of))
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

keepRequestsYoung()
ignoreOtherSignals()
const order = orderIn(process.argv.slice(2))
process.exit(order === undefined ? misused() : await run(order))
