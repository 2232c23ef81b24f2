import { createClient, formatFailure } from '@canopy/client'
import { toTaskEitherClient } from '@canopy/client/fp-ts'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

export const triggerType = (baseUrl: string, id: string): TE.TaskEither<string, string> =>
  pipe(
    toTaskEitherClient(createClient({ baseUrl })).triggerPeek({ id }),
    TE.mapLeft((failure) => (failure.error === 'trigger not found' ? 'no such trigger' : formatFailure(failure))),
    TE.map(({ type }) => type),
  )
