import { inspect } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { onTestFinished } from 'vitest'
import type { ReadDatabase } from '../src/Database.js'
import { openDatabase, registryOver } from '../src/openRegistry.js'
import type { Now } from '../src/ports.js'
import type { Limits } from '../src/postgresql.js'
import type { RegistryUrl } from '../src/RegistryUrl.js'

/** What the task gives; a failure fails the test. */
export const right = async <E, A>(task: TE.TaskEither<E, A>): Promise<A> => {
  const result = await task()
  if (E.isLeft(result)) throw new Error(`expected an answer, got ${inspect(result.left, { depth: 4 })}`)
  return result.right
}

/** The failure of the task; an answer fails the test. */
export const left = async <E, A>(task: TE.TaskEither<E, A>): Promise<E> => {
  const result = await task()
  if (E.isRight(result)) throw new Error(`expected a failure, got ${inspect(result.right, { depth: 4 })}`)
  return result.left
}

/** The same, which is closed when the test has ended. */
export const forThisTest = <A extends { readonly destroy: () => Promise<void> }>(database: A): A => {
  onTestFinished(() => database.destroy())
  return database
}

/** What the task opens, which is closed when the test has ended. */
export const opened = async <E, A extends { readonly close: () => Promise<void> }>(
  task: TE.TaskEither<E, A>,
): Promise<A> => {
  const it = await right(task)
  onTestFinished(() => it.close())
  return it
}

export const patient: Limits = { connections: 2, connectTimeoutMs: 5_000, statementTimeoutMs: 5_000 }

/** With limits, and a clock, of the test. */
export const openRegistryWith = (url: RegistryUrl, limits: Partial<Limits> = {}, now?: Now) =>
  TE.map((database: ReadDatabase) => registryOver(database, now))(openDatabase(url, { ...patient, ...limits }))
