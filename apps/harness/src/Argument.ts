import { BaseUrl } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { type Refusal, wrongUsage } from './Refusal.js'

type Read<A> = (text: string) => E.Either<Refusal, A>

/** Fits the generator's 32 bits. */
const largest = 2_147_483_647

export const wholeNumber =
  (option: string, least: number): Read<number> =>
  (text) =>
    /^(0|[1-9][0-9]{0,9})$/.test(text) && Number(text) >= least && Number(text) <= largest
      ? E.right(Number(text))
      : E.left(wrongUsage(`${option} must be a whole number from ${least} to ${largest}, and is "${text}"`))

/** The seed that was named, or a new one. */
export const seed = (text: string | undefined, newSeed: () => number): E.Either<Refusal, number> =>
  pipe(
    O.fromNullable(text),
    O.match(() => E.right(newSeed()), wholeNumber('--seed', 0)),
  )

export const baseUrl: Read<BaseUrl.BaseUrl> = (text) =>
  pipe(
    BaseUrl.fromString(text),
    E.mapLeft((problem) => wrongUsage(`--url is not where a service answers: ${problem}`)),
  )
