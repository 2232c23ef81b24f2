import type { TriggerId } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as IO from 'fp-ts/lib/IO.js'
import type { RandomEnv } from '../CommandEnv.js'

/** 16 random bytes. Drawn again when it begins with "-", which a command line would take for an option. */
export const newTriggerId = ({ random }: RandomEnv): IO.IO<TriggerId.TriggerId> =>
  pipe(
    random(16),
    IO.flatMap((id) => (id.startsWith('-') ? newTriggerId({ random }) : IO.of(id as TriggerId.TriggerId))),
  )
