import { StoragePath } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ClockEnv, PlaceEnv, RandomEnv, RegistryEnv } from '../CommandEnv.js'
import type { Problem } from '../Problem.js'
import { refused } from '../refused.js'
import { newToken } from '../token/newToken.js'
import * as When from '../When.js'
import type { RememberedToken } from './DemoMemory.js'
import { type Demo, remember } from './demoAccount.js'

export interface DemoWithToken extends Demo {
  readonly token: RememberedToken
}

type Env = RegistryEnv & ClockEnv & RandomEnv & PlaceEnv

const stillOpens =
  ({ registry, now }: Env, { account }: Demo) =>
  ({ tokenId }: RememberedToken): TE.TaskEither<Problem, boolean> =>
    pipe(
      registry.tokens.of(account.id),
      TE.mapLeft(refused),
      TE.map(
        (tokens) => (time: ReturnType<typeof now>) =>
          tokens.some((token) => token.tokenId === tokenId && !When.isPast(time)(token.expires)),
      ),
      TE.ap(TE.fromIO(now)),
    )

const issue =
  (env: Env) =>
  (demo: Demo): TE.TaskEither<Problem, DemoWithToken> =>
    pipe(
      TE.fromIO(newToken(env)),
      TE.bindTo('token'),
      TE.bind('record', ({ token }) =>
        pipe(
          env.registry.tokens.add({
            token,
            account: demo.account.id,
            scope: StoragePath.root,
            expires: O.none,
            label: O.some('demo'),
          }),
          TE.mapLeft(refused),
        ),
      ),
      TE.map(({ token, record: { tokenId } }): RememberedToken => ({ token, tokenId })),
      TE.flatMap((token) =>
        pipe(
          remember(env)({ ...demo, memory: { ...demo.memory, token } }),
          TE.map((remembered) => ({ ...remembered, token })),
        ),
      ),
    )

/** The remembered token while it opens the area, else a new one. */
export const demoToken =
  (env: Env) =>
  (demo: Demo): TE.TaskEither<Problem, DemoWithToken> => {
    const { token } = demo.memory
    return token === null
      ? issue(env)(demo)
      : pipe(
          stillOpens(env, demo)(token),
          TE.flatMap((opens) => (opens ? TE.right({ ...demo, token }) : issue(env)(demo))),
        )
  }
