import { inspect } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { onTestFinished } from 'vitest'
import type { ReadDatabase } from '../src/Database.js'
import { openDatabase } from '../src/openRegistry.js'
import type { Limits } from '../src/postgresqlPool.js'
import { type Now, registryOver } from '../src/Registry.js'
import type { RegistryUrl } from '../src/RegistryUrl.js'

export const right = async <E, A>(task: TE.TaskEither<E, A>): Promise<A> => {
  const result = await task()
  if (E.isLeft(result)) throw new Error(`expected an answer, got ${inspect(result.left, { depth: 4 })}`)
  return result.right
}

export const left = async <E, A>(task: TE.TaskEither<E, A>): Promise<E> => {
  const result = await task()
  if (E.isRight(result)) throw new Error(`expected a failure, got ${inspect(result.right, { depth: 4 })}`)
  return result.left
}

export const forThisTest = <A extends { readonly destroy: () => Promise<void> }>(database: A): A => {
  onTestFinished(() => database.destroy())
  return database
}

export const opened = async <E, A extends { readonly close: () => Promise<void> }>(
  task: TE.TaskEither<E, A>,
): Promise<A> => {
  const resource = await right(task)
  onTestFinished(() => resource.close())
  return resource
}

export const patient: Limits = { maxConnections: 2, connectTimeoutMs: 5_000, statementTimeoutMs: 5_000 }

export const openRegistryWith = (url: RegistryUrl, limits: Partial<Limits> = {}, now?: Now) =>
  TE.map((database: ReadDatabase) => registryOver(database, now))(openDatabase(url, { ...patient, ...limits }))
