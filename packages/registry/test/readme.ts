import { AccessToken, Failure, UserId } from '@canopy/domain'
import { openRegistry, RegistryUrl } from '@canopy/registry'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

const registryAt = (url: string) =>
  pipe(
    TE.fromEither(RegistryUrl.fromString(process.cwd(), url)),
    TE.flatMap((parsed) =>
      pipe(
        openRegistry(parsed),
        TE.mapLeft(({ message }) => message),
      ),
    ),
  )

/** Describes the area of a token. `url` may be `sqlite:data/registry.db`. */
export const opened = (url: string, token: string) =>
  TE.bracket(
    registryAt(url),
    ({ areaOfToken }) =>
      pipe(
        TE.fromEither(AccessToken.codec.decode(token)),
        TE.mapLeft(() => Failure.invalidToken),
        TE.flatMap(areaOfToken),
        TE.mapBoth(
          ({ error }): string => error,
          ({ area, scope }) => `user ${UserId.toDecimal(area.owner)}, from ${scope}`,
        ),
      ),
    ({ close }) => TE.fromTask(close),
  )
