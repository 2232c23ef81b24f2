import { AccessToken, Envelope, Name, StoragePath, TriggerId, UserId } from '@canopy/domain'
import type { Answer, Ask } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { AnyFailure, CallOptions, Client } from '../src/index.js'
import type { TransportFailure } from '../src/TransportFailure.js'

type Answered = TE.TaskEither<AnyFailure | TransportFailure, string>

/** A path as the client's types can say it: they know no trailing slash, which a root alone can do without. */
const pathOf = (raw: string): O.Option<StoragePath.StoragePath> =>
  pipe(
    StoragePath.fromRaw(raw),
    O.filter(({ path, mustBeDirectory }) => !mustBeDirectory || path === StoragePath.root),
    O.map(({ path }) => path),
  )

const given = <K extends string, A>(key: K, value: A | undefined): { readonly [P in K]?: A } =>
  (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: A }

/**
 * A raw question asked through the client, its answer written as JSON again; `none` when the client's types cannot say
 * it: a malformed token, id, path or name, or a trailing slash.
 */
export const typed = (client: Client, ask: Ask, call?: CallOptions): O.Option<Answered> => {
  if (ask.operation === 'triggerPeek') {
    return pipe(
      TriggerId.fromRawSegment(ask.credential),
      O.map((id) => pipe(client.triggerPeek({ id }, call), TE.map(Envelope.triggerPeakJson))),
    )
  }
  const token = AccessToken.fromRawSegment(ask.credential)
  const user = UserId.fromRawSegment(ask.credential)
  const path = pathOf(ask.path)
  switch (ask.operation) {
    case 'storageTree':
      return pipe(
        O.Do,
        O.apS('token', token),
        O.apS('path', path),
        O.map((to) =>
          pipe(client.storageTree({ ...to, ...given('depth', ask.depth) }, call), TE.map(Envelope.treeJson)),
        ),
      )
    case 'userContentTree':
      return pipe(
        O.Do,
        O.apS('user', user),
        O.apS('path', path),
        O.map((to) =>
          pipe(client.userContentTree({ ...to, ...given('depth', ask.depth) }, call), TE.map(Envelope.treeJson)),
        ),
      )
    case 'storageDirItems':
    case 'userContentDirItems': {
      const after: O.Option<Name.Name | undefined> =
        ask.after === undefined ? O.some(undefined) : Name.fromString(ask.after)
      const bounds = pipe(
        after,
        O.map((name) => ({ ...given('limit', ask.limit), ...given('after', name) })),
      )
      return ask.operation === 'storageDirItems'
        ? pipe(
            O.Do,
            O.apS('token', token),
            O.apS('path', path),
            O.bind('bounds', () => bounds),
            O.map(({ bounds: page, ...to }) =>
              pipe(
                client.storageDirItems({ ...to, ...page }, call),
                TE.map(({ items }) => Envelope.dirContentJson(items)),
              ),
            ),
          )
        : pipe(
            O.Do,
            O.apS('user', user),
            O.apS('path', path),
            O.bind('bounds', () => bounds),
            O.map(({ bounds: page, ...to }) =>
              pipe(
                client.userContentDirItems({ ...to, ...page }, call),
                TE.map(({ items }) => Envelope.dirContentJson(items)),
              ),
            ),
          )
    }
  }
}

/** What a scenario would say. */
export const answered = async (program: Answered): Promise<Answer | TransportFailure> =>
  pipe(
    await program(),
    E.match(
      (failure): Answer | TransportFailure => failure,
      (body) => ({ body }),
    ),
  )
