import { client, messageOf } from '@canopy/client'
import { taskEitherClient } from '@canopy/client/fp-ts'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

export const triggerType = (baseUrl: string, id: string): TE.TaskEither<string, string> =>
  pipe(
    taskEitherClient(client({ baseUrl })).triggerPeek({ id }),
    TE.mapLeft((failure) => (failure.error === 'trigger not found' ? 'no such trigger' : messageOf(failure))),
    TE.map(({ type }) => type),
  )
