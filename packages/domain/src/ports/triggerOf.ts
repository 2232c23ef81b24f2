import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { External, TriggerNotFound } from '../Failure.js'
import type { TriggerId } from '../TriggerId.js'
import type { TriggerValue } from '../TriggerValue.js'

export interface TriggerOfEnv {
  /** What a trigger holds. Never fires it and writes nothing. Unknown, expired and deleted are one failure. */
  readonly triggerOf: (id: TriggerId) => TE.TaskEither<TriggerNotFound | External, TriggerValue>
}

export const triggerOf = (
  id: TriggerId,
): RTE.ReaderTaskEither<TriggerOfEnv, TriggerNotFound | External, TriggerValue> =>
  RTE.asksReaderTaskEither((env: TriggerOfEnv) => RTE.fromTaskEither(env.triggerOf(id)))
