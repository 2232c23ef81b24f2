import type { AccessToken } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as IO from 'fp-ts/lib/IO.js'
import type { RandomEnv } from '../CommandEnv.js'

/** 32 random bytes, in the spelling of a token. */
export const newToken = ({ random }: RandomEnv): IO.IO<AccessToken.AccessToken> =>
  pipe(
    random(32),
    IO.map((secret) => `cnp_${secret}` as AccessToken.AccessToken),
  )
