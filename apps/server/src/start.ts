import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '@canopy/domain'
import { openRegistry, type Registry, type Unavailable } from '@canopy/registry'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Logger } from 'pino'
import type { Config } from './config.js'
import type { StopBounds } from './http/connections.js'
import { listen, mayListen } from './http/listen.js'
import { failedLookups } from './limits/failedLookups.js'
import { serverReadiness } from './observe/health.js'
import { openMetrics, openTracing, reportNotAccepted } from './observe/observe.js'
import { SettingsSeen } from './SettingsSeen.js'
import { server } from './server.js'
import { openStorage, unreadable } from './storage.js'
import { documentPage, webPages } from './webPages.js'

/** A service that answers, until it is stopped. */
interface Service {
  readonly url: string
  /** From now on `/readyz` says that the service is draining. */
  readonly drain: () => void
  /** Finishes the answers under way, then closes everything. Resolves with the number of answers that were cut. */
  readonly stop: (bounds: StopBounds) => Promise<number>
}

/** How long a request may take until the first byte of its answer, in milliseconds. */
export const firstByteMs = 30_000

/** The same for one call of a port: eight listings of 200,000 files at once take 23 s on a local disk. */
export const portMs = 25_000

/** Requests worked on at once. One thread answers, a few processes read, the registry has ten connections: more would only wait there. */
const atOnce = 10
const longMs = 100

/** For this long, in milliseconds, no client is cut for reading slowly. */
const patienceMs = 5_000

/** What a registry may take to close, in milliseconds: a lost connection must not hold up the exit. */
const closingMs = 1_000

/** A registry that is opened by the next question, again and again while that fails. */
const openedLater = (open: TE.TaskEither<Unavailable, Registry>): Registry => {
  let opening: ReturnType<typeof open> | undefined
  const opened: typeof open = async () => {
    opening ??= open()
    const result = await opening
    if (E.isLeft(result)) opening = undefined
    return result
  }
  const ask = <L, A>(question: (registry: Registry) => TE.TaskEither<L, A>): TE.TaskEither<L | Failure.External, A> =>
    pipe(
      opened,
      TE.mapLeft(({ message }) => Failure.external(new Error(message))),
      TE.flatMap(question),
    )
  return {
    areaOfToken: (token) => ask(({ areaOfToken }) => areaOfToken(token)),
    areaOfUser: (user) => ask(({ areaOfUser }) => areaOfUser(user)),
    settingsOf: (user) => ask(({ settingsOf }) => settingsOf(user)),
    triggerOf: (id) => ask(({ triggerOf }) => triggerOf(id)),
    close: async () => {
      const result = await opening
      if (result !== undefined && E.isRight(result)) await result.right.close()
    },
  }
}

/** Where the service may start unready, it starts without a part that does not answer. */
const beginWithout = <A>(part: string, later: A, mayBeUnready: boolean, log: Logger) =>
  TE.orElse((cause: string): TE.TaskEither<string, A> => {
    if (!mayBeUnready) return TE.left(cause)
    log.warn({ part, cause }, 'not ready')
    return TE.right(later)
  })

const messageOf = ({ message }: Unavailable): string => message

/** PostgreSQL comes back by itself; a file that is missing or damaged does not. */
const registryOf = ({ installation }: Config, log: Logger, mayBeUnready: boolean): TE.TaskEither<string, Registry> => {
  const url = installation.registry
  const open = openRegistry(url)
  return pipe(
    open,
    TE.mapLeft(messageOf),
    beginWithout('registry', openedLater(open), mayBeUnready && url.engine === 'PostgreSQL', log),
  )
}

/**
 * Opens what the configuration names and serves. `left` says what prevents it and what to do. A storage or a registry that
 * does not answer prevents it only where the service must be ready when it starts.
 */
export const start = (config: Config, log: Logger, mayBeUnready: boolean): TE.TaskEither<string, Service> => {
  /** The last that was opened comes first. */
  const opened: Array<() => unknown> = []
  const closing = <A>(close: (a: A) => unknown) => TE.tapIO((a: A) => () => opened.unshift(() => close(a)))
  const closeAll = async (): Promise<void> => {
    for (const close of opened) await close()
  }
  return pipe(
    TE.fromTask(openStorage(config.installation.storage)),
    closing((storage) => storage.close()),
    TE.tap((storage) => pipe(storage.startable, beginWithout<void>('storage', undefined, mayBeUnready, log))),
    TE.bindTo('storage'),
    TE.bind('registry', () => registryOf(config, log, mayBeUnready)),
    closing(({ registry }) => Promise.race([registry.close(), sleep(closingMs)])),
    TE.bind('exposed', () => openMetrics(config, log)),
    closing(({ exposed }) => exposed?.stop()),
    TE.bind('tracing', () => openTracing(config, log)),
    closing(({ tracing }) => tracing?.stop()),
    TE.flatMap(({ storage, registry, exposed, tracing }) => {
      const metrics = exposed?.metrics
      const { host, port, basePath } = config.installation
      const readiness = serverReadiness(registry, storage.reachable, log)
      const settingsSeen = new SettingsSeen()
      metrics?.watchParts(readiness.parts)
      const service = server({
        ...registry,
        // Without older answers no reading of the settings has to be noted.
        settingsOf: config.maxAgeMs === 0 ? registry.settingsOf : settingsSeen.observing(registry.settingsOf),
        ...storage.ports(config, { log, metrics, settingsSeen }),
        ...(metrics && { metrics }),
        ...(tracing && { tracing }),
        log,
        readiness,
        mountOf: storage.mountOf,
        treeNodes: config.treeNodes,
        limitLookups: failedLookups({ perMinute: config.failedLookups, trustedProxies: config.trustedProxies }),
        firstByteMs,
        answerMs: config.answerMs,
        portMs,
        connections: {
          maxConnections: config.maxConnections,
          idleMs: config.idleMs,
          onNotAccepted: reportNotAccepted(log, metrics === undefined ? {} : { metrics }),
        },
        admission: { most: config.maxInFlight, atOnce, longMs },
        unread: { bytes: config.unreadBytes, patienceMs },
        cacheBytes: storage.answersBytes(config.cacheBytes),
        basePath,
        pages: [documentPage, webPages(config.explorer, basePath)],
      })
      return pipe(
        listen(service, { host, port }),
        // The log says at once what is not ready.
        TE.tapIO(() => () => void readiness.verdict()),
        TE.map(({ url, stop }) => ({
          url: url + basePath,
          drain: readiness.drain,
          stop: async (bounds: StopBounds) => {
            const cut = await stop(bounds)
            await closeAll()
            return cut
          },
        })),
      )
    }),
    TE.orElseFirstTaskK(() => closeAll),
  )
}

/** Opens what the configuration names and serves nothing. `left` says all that prevents a start. */
export const check = ({ installation, metrics }: Config): TE.TaskEither<ReadonlyArray<string>, unknown> =>
  pipe(
    [
      mayListen(installation, 'CANOPY'),
      ...pipe(
        RA.fromOption(metrics),
        RA.map((address) => mayListen(address, 'CANOPY_METRICS')),
      ),
      pipe(
        openRegistry(installation.registry),
        TE.mapLeft(messageOf),
        TE.tapTask(({ close }) => close),
      ),
      pipe(
        TE.fromTask(openStorage(installation.storage)),
        TE.flatMap(({ reachable, close }) =>
          pipe(
            reachable,
            T.tapIO(() => close),
          ),
        ),
        TE.mapLeft(unreadable),
      ),
    ],
    RA.map(TE.mapLeft(RA.of)),
    RA.sequence(TE.getApplicativeTaskValidation(T.ApplicativeSeq, RA.getSemigroup<string>())),
  )
