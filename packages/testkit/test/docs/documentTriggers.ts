import { Failure, type TriggerOfEnv, TriggerValue } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'

const Document = t.readonlyArray(t.tuple([t.string, t.string]))

const triggersIn = (json: string): E.Either<Error, ReadonlyMap<string, string>> =>
  pipe(
    E.tryCatch((): unknown => JSON.parse(json), E.toError),
    E.flatMap((document) =>
      E.mapLeft(() => new Error('the document holds what is no trigger'))(Document.decode(document)),
    ),
    E.map((rows) => new Map(rows)),
  )

/** Triggers that are one JSON document: of each its id and its value, which stays text, so that no digit is lost. */
export const documentTriggers = (read: () => Promise<string>): TriggerOfEnv => ({
  triggerOf: (id) =>
    pipe(
      TE.tryCatch(read, E.toError),
      TE.flatMapEither(triggersIn),
      TE.mapLeft(Failure.external),
      TE.flatMapEither((triggers) => E.fromNullable(Failure.triggerNotFound)(triggers.get(id))),
      TE.flatMapEither((value) => E.mapLeft(Failure.external)(TriggerValue.fromJson(value))),
    ),
})
