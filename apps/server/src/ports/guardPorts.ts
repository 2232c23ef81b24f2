import { inspect } from 'node:util'
import { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { aroundPorts } from './aroundPorts.js'
import type { Ports } from './Ports.js'
import { portAnswers } from './portAnswers.js'

const external = (cause: Error): E.Either<Failure.External, never> => E.left(Failure.external(cause))

const errorOf = (port: keyof Ports, thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(`${port} threw ${inspect(thrown, { depth: 0 })}`)

const settled = async <F, A>(
  port: keyof Ports,
  call: TE.TaskEither<F, A>,
): Promise<E.Either<F | Failure.External, A>> => {
  try {
    const found = await call()
    return (await portAnswers[port](found)) ? found : external(new Error(`${port} gave what is none of its answers`))
  } catch (thrown) {
    return external(errorOf(port, thrown))
  }
}

/** What comes after the time is up is thrown away; the call itself cannot be taken back. */
const inTime =
  <F, A>(port: keyof Ports, timeoutMs: number, call: TE.TaskEither<F, A>): TE.TaskEither<F | Failure.External, A> =>
  () =>
    new Promise((resolve) => {
      const timeIsUp = (): void => resolve(external(new Error(`${port} gave no answer within ${timeoutMs} ms`)))
      const timer = setTimeout(timeIsUp, timeoutMs).unref()
      void settled(port, call).then((answer) => {
        clearTimeout(timer)
        return resolve(answer)
      })
    })

/**
 * The same ports, which now keep their word: one that throws, rejects, gives what is none of its answers, or gives none
 * within `timeoutMs` of wall time, answers `external` with the cause.
 */
export const guardPorts = (ports: Ports, timeoutMs: number): Ports =>
  aroundPorts(ports, (port, call) => inTime(port, timeoutMs, call))
