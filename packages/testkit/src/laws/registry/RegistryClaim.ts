import type { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Claim } from '../Claim.js'
import type { RegistryPorts } from '../Subject.js'

export type RegistryClaim = Claim<RegistryPorts>

/** Asked this, a port must answer so: a failure by its name, anything else as `said` tells it. */
export const answers =
  <A>(
    question: string,
    ask: (ports: RegistryPorts) => TE.TaskEither<Failure.Failure, A>,
    said: (answer: A) => string,
    expected: string,
  ): RegistryClaim =>
  async (ports) => {
    const found = pipe(
      await ask(ports)(),
      E.match(({ error }): string => error, said),
    )
    return found === expected ? [] : [`${question} must be ${expected}, and is ${found}`]
  }

/** A claim about a value of the domain; a law that spells it wrongly is violated by every registry. */
export const about = <A>(
  question: string,
  value: E.Either<unknown, A>,
  claim: (value: A) => RegistryClaim,
): RegistryClaim =>
  pipe(
    value,
    E.match((): RegistryClaim => async () => [`the law itself is wrong: ${question} asks for nothing legal`], claim),
  )
